"""sptune train and evaluate, on a small database of real measurements."""
import json
import unittest

import harness


class Models(harness.CliTest):
    def profile_some(self, *more):
        for family, options in (("stencil-2d-5", []), ("uniform", ["--density", "0.02"]), ("banded", []), ("wheel", [])):
            for rows in (200, 900):
                self.expect(0, "generate", family, "--rows", rows, *options, "-o", f"{family}--{rows}.mtx")
        names = [p.name for p in sorted(self.folder.glob("*.mtx"))]
        self.expect(0, "profile", *names, "--threads", "1", "--variants", "*.csr.static.*.w1.*,*.sell.*.c8.s1.*.w1.*",
                    *more)

    def test_train_and_evaluate(self):
        self.profile_some()
        done = self.expect(0, "train", "-o", "model.sptm", "--leave-out", "wheel--*")
        self.assertIn("cpu: trees over", done.stdout)
        self.assertIn("6 matrices", done.stderr)
        self.assertIn("6 sweeps: too few to tell matrices apart", done.stderr)
        size = (self.folder / "model.sptm").stat().st_size
        self.expect(0, "train", "-o", "few.sptm", "--leave-out", "wheel--*", "--trees", 1)
        self.assertLess((self.folder / "few.sptm").stat().st_size, size)
        self.assertTrue((self.folder / "model.sptm").read_bytes().startswith(b"SPTM"))

        result = json.loads(self.expect(0, "evaluate", "--folds", "4", "--json", "-").stdout)
        self.assertEqual(result["schema"], "sptune.evaluate/1")
        self.assert_valid(result, "evaluate", scores=[], backend="all")
        self.assertEqual((result["matrices"], result["groups"]), (8, 4))
        self.assertEqual(result["protocol"], "4 folds by family")
        scores = {s["name"]: s for s in result["scores"]}
        self.assertEqual(set(scores), {"trees", "trees, tried", "bestsf", "nearest neighbour", "heuristic", "always CSR"})
        self.assertEqual(scores["always CSR"]["slower_than_csr"], 0)
        for score in scores.values():
            self.assertGreaterEqual(score["regret"]["p95"], 0)
            self.assertEqual(score["samples"], 8)

        # For one call a conversion never pays, so that plain CSR comes nearer to the best.
        once = json.loads(self.expect(0, "evaluate", "--folds", "4", "--calls", 1, "--json", "-").stdout)
        (plain,) = [score for score in once["scores"] if score["name"] == "always CSR"]
        self.assertEqual(once["calls"], 1)
        self.assertLess(plain["regret"]["geomean"], scores["always CSR"]["regret"]["geomean"])
        self.assertIn("none is left to test with: --precision", self.expect(1, "evaluate", "--precision", "f32").stderr)

        self.assertEqual(self.code_of(">/dev/full 2>/dev/null", "evaluate", "--folds", 4, "--json", "e.json"), 1)
        self.assertEqual(json.loads((self.folder / "e.json").read_text())["matrices"], 8, "in spite of stdout")

        # A model is only asked about what it has not seen.
        done = self.expect(0, "evaluate", "--model", "model.sptm", "--json", "-")
        self.assertEqual(json.loads(done.stdout)["scores"][0]["samples"], 2)
        self.assertIn("6 of 8 sweeps", done.stderr)
        self.expect(0, "train", "-o", "all.sptm")
        known = self.expect(0, "evaluate", "--model", "all.sptm", "--json", "-")
        self.assertIn("which it was trained on", json.loads(known.stdout)["protocol"])
        self.assertIn("has learned from all of these", known.stderr)
        folded = self.expect(0, "evaluate", "--model", "model.sptm", "--folds", 3, "--json", "-")
        self.assertEqual(json.loads(folded.stdout), json.loads(done.stdout))
        self.assertIn("--folds is about training", folded.stderr)
        self.assertIn("< CSR", self.expect(0, "evaluate", "--hold-out", "wheel*").stdout)
        self.assertIn("'*' matches all of 8", self.expect(1, "evaluate", "--hold-out", "*").stderr)
        self.assertIn("no SpMV entries of --backend cuda", self.expect(1, "evaluate", "--backend", "cuda").stderr)
        for globs in (("--weigh", "nothing*=3"), ("--leave-out", "nothing*")):
            done = self.expect(0, "train", "--trees", "1", "-o", "m.sptm", *globs)
            self.assertRegex(done.stderr, r"nothing\*.*(no device matches|matches none of 8 sweeps)")
        self.assertIn("'nothing*' matches none", self.expect(1, "evaluate", "--hold-out", "nothing*").stderr)

    def test_packed_sweeps_stand_for_the_database(self):
        self.profile_some()
        self.assertIn("8 sweeps", self.expect(0, "train", "--pack", "s.spts").stderr)
        self.assertIn("8 sweeps of 8 matrices", self.expect(0, "train", "--samples", "s.spts", "-o", "packed.sptm").stderr)
        # The same sweeps twice count once; one side of the machine alone leaves the other as it was.
        done = self.expect(0, "train", "--samples", "s.spts,s.spts", "--keep", "shipped", "-o", "both.sptm")
        self.assertIn("cuda: trees over", done.stdout)
        scores = json.loads(self.expect(0, "evaluate", "--samples", "s.spts", "--folds", "4", "--json", "-").stdout)["scores"]
        self.assertEqual(scores[0]["samples"], 8)

        # Sweeps made again tell how far times repeat themselves; one sweep from two places does not.
        self.profile_some("--db", "again")
        self.expect(0, "train", "--db", "again", "--pack", "again.spts")
        both = json.loads(self.expect(0, "evaluate", "--samples", "s.spts,again.spts,s.spts", "--folds", "4",
                                      "--json", "-").stdout)["scores"]
        self.assertEqual({s["samples"] for s in both}, {16})
        self.assertEqual(both[-1]["name"], "another sweep's best")
        done = self.expect(0, "train", "--samples", "s.spts,again.spts", "-o", "packed.sptm")
        self.assertIn("8 sweeps of 8 matrices", done.stderr)
        # A file may count more than once.
        self.assertIn("8 sweeps of 8", self.expect(0, "train", "--samples", "s.spts=9", "-o", "weighed.sptm").stderr)
        self.assertIn("s.spts=0", self.expect(2, "train", "--samples", "s.spts=0", "-o", "m.sptm").stderr)
        self.write("broken.spts", "SPTS and nothing else")
        self.assertIn("broken.spts", self.expect(3, "train", "--samples", "broken.spts", "-o", "m.sptm").stderr)
        self.assertIn("broken.sptm", self.expect(3, "train", "--keep", "broken.sptm", "-o", "m.sptm").stderr)

    def test_refusals(self):
        self.assertIn("-o FILE is missing", self.expect(2, "train").stderr)
        for words in (("-o", "-"), ("--pack", "-"), ("-o", "/dev/null"), ("-o", "m.sptm", "--pack", "/dev/stdout")):
            self.assertIn("is no file", self.expect(2, "train", *words).stderr)
        for wrong in ("amd-*", "=3", "amd-*=0", "amd-*=3x", "amd-*=101"):
            done = self.expect(2, "train", "--weigh", wrong, "-o", "m.sptm")
            self.assertIn(f"--weigh {wrong}: expected GLOB=N", done.stderr)
        for both in (("--folds", "3", "--hold-out", "x"), ("--model", "m", "--hold-out", "x"),
                     ("--model", "m", "--weigh", "x=3")):
            self.assertRegex(self.expect(2, "evaluate", *both).stderr, "name one|leave one out")
        for idle in (("--weigh", "x=3"), ("--samples", "x.spts=3")):  # of products
            self.assertIn("of SpMV", self.expect(2, "evaluate", "--op", "spgemm", *idle).stderr)
        self.expect(3, "train", "--db", "nowhere", "-o", "m.json")
        self.expect(3, "evaluate", "--db", "nowhere")
        self.assertIn("which $SPTUNE_DB names", self.expect(3, "evaluate").stderr)
        (self.folder / "db").mkdir()
        self.assertIn("`sptune profile` makes some", self.expect(1, "evaluate").stderr)
        self.write("broken.json", '{"schema":"sptune.model/1","inputs":[]}')
        self.matrix()
        self.expect(0, "profile", "small.mtx", "--variants", "*.csr.static.*.w1.*")
        self.assertIn("broken.json", self.expect(3, "evaluate", "--model", "broken.json").stderr)


if __name__ == "__main__":
    harness.main()
