"""generate, convert, and where outputs go."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import CliTest, main


class Generate(CliTest):
    def test_lists_families_and_their_parameters(self):
        self.assertIn("stencil-2d-5", self.expect(0, "generate", "--help").stdout)
        self.assertIn("--dof", self.expect(0, "generate", "fem", "--help").stdout)

    def test_every_family_has_defaults_that_work(self):
        help_text = self.expect(0, "generate", "--help").stdout
        families = [line.split()[0] for line in help_text.split("Families:")[1].splitlines() if line.startswith("  ")]
        self.assertGreater(len(families), 10)
        for family in families:
            self.expect(0, "generate", family, "-o", f"{family}.spt")

    def test_sizes_that_follow_from_others(self):
        self.expect(0, "generate", "block-diagonal", "--rows", 64, "--block", 4, "-o", "rows.spt")
        self.expect(0, "generate", "block-diagonal", "--blocks", 16, "--block", 4, "-o", "blocks.spt")
        self.expect(0, "generate", "rmat", "--scale", 6, "-o", "rmat.spt")
        self.expect(2, "generate", "block-diagonal", "--rows", 64, "--blocks", 4, "-o", "both.spt")

    def test_unknown_family_and_parameter(self):
        self.assertIn("did you mean banded?",
                      self.expect(2, "generate", "bandde", "-o", "a.mtx").stderr)
        self.assertIn("--bnd", self.expect(2, "generate", "banded", "--bnd", 3, "-o", "a.mtx").stderr)

    def test_every_family_can_be_changed(self):
        self.assertIn("--shuffle", self.expect(0, "generate", "layers", "--help").stdout)
        done = self.expect(0, "generate", "layers", "--rows", 100, "--shuffle", 16, "--unknowns", 2, "-o", "a.mtx")
        self.assertIn("200 × 200", done.stderr)
        self.assertIn("--shuffle 16", (self.folder / "a.mtx").read_text())
        refused = self.expect(2, "generate", "rmat", "--a", 0.9, "--b", 0.5, "-o", "b.mtx").stderr
        self.assertIn("b = 0.5 is out of range; expected 0 to 0.1\nSee `sptune generate rmat --help`.", refused)
        self.assertIn("shuffle = -1", self.expect(2, "generate", "layers", "--shuffle", -1, "-o", "b.mtx").stderr)

    def test_needs_a_known_ending(self):
        self.expect(2, "generate", "banded")
        known = self.expect(2, "generate", "banded", "-o", "a.csv").stderr
        self.assertIn(".spt", known)
        self.assertNotIn(".bsm", known)
        self.assertIn("`sptune convert --blocks M`", self.expect(2, "generate", "banded", "-o", "a.bsm").stderr)

    def test_same_seed_same_file(self):
        for name, seed in (("a.mtx", 5), ("b.mtx", 5), ("c.mtx", 6)):
            self.expect(0, "generate", "uniform", "--rows", 100, "--seed", seed, "-o", name)
        a, b, c = ((self.folder / n).read_text().split("\n", 2)[2] for n in ("a.mtx", "b.mtx", "c.mtx"))
        self.assertEqual(a, b)
        self.assertNotEqual(a, c)
        self.assertIn("sptune generate uniform --rows 100 --seed 6\n", (self.folder / "c.mtx").read_text())

    def test_values_of_single_precision_take_half_the_room(self):
        self.matrix("a.mtx")
        for words in (("convert", "a.mtx"), ("generate", "banded", "--rows", 100, "-o")):
            sizes, entries = [], 0
            for precision in ("f32", "f64"):
                done = self.expect(0, *words, f"{precision}.spt", "--precision", precision)
                entries = int(done.stderr.split(" nonzeros")[0].split()[-1].replace(",", ""))
                sizes.append((self.folder / f"{precision}.spt").stat().st_size)
            self.assertAlmostEqual(sizes[1] - sizes[0], 4 * entries, delta=64)  # arrays are aligned

    def test_says_what_was_made_on_stderr(self):
        done = self.expect(0, "generate", "banded", "--rows", 1000, "-o", "a.mtx")
        self.assertEqual(done.stdout, "")
        self.assertIn("1,000 × 1,000", done.stderr)

    def test_an_unwritable_place_fails(self):
        for large in ((), ("--rows", 10**9, "--band", 100)):  # found out before the work
            done = self.expect(1, "generate", "banded", *large, "-o", self.folder / "no" / "folder" / "a.mtx")
            self.assertIn("there is no folder", done.stderr)


class Convert(CliTest):
    def fingerprint(self, path):
        return json.loads(self.expect(0, "features", path, "--json", "-").stdout)["matrix"]["fingerprint"]

    def test_round_trip_through_all_formats(self):
        first = self.matrix("a.mtx")
        self.expect(0, "convert", "a.mtx", "b.spt")
        self.expect(0, "convert", "b.spt", "c.mtx.gz")
        self.expect(0, "convert", "c.mtx.gz", "d.mtx")
        self.assertEqual(self.fingerprint(first), self.fingerprint("d.mtx"))
        entries = [[line for line in (self.folder / name).read_text().splitlines() if line[0] != "%"]
                   for name in ("a.mtx", "d.mtx")]
        self.assertEqual(*entries)

    def test_refuses_to_overwrite_its_input(self):
        self.matrix("a.mtx")
        self.expect(2, "convert", "a.mtx", "./a.mtx")

    def test_refuses_unknown_endings(self):
        self.matrix("a.mtx")
        self.assertIn(".mtx.gz", self.expect(2, "convert", "a.mtx", "a.npz").stderr)


class SameFile(CliTest):
    """No output takes the place of another, or of what is read."""

    def test_two_outputs(self):
        self.matrix("a.mtx")
        for words in (("spgemm", "a.mtx", "-o", "c.mtx", "--json", "./c.mtx"),
                      ("profile", "a.mtx", "--json", "same", "--html", self.folder / "same"),
                      ("train", "-o", "same", "--pack", "same")):
            done = self.expect(2, *words)
            self.assertIn("are the same file", done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.mtx"])

    def test_output_and_input(self):
        before = self.matrix("a.mtx").read_text()
        for words in (("spgemm", "a.mtx", "-o"), ("spgemm", "a.mtx", "--json"), ("convert", "a.mtx"),
                      ("profile", "a.mtx", "--html"), ("compare", "a.mtx", "--json"), ("features", "a.mtx", "--json"),
                      ("select", "a.mtx", "--json")):
            self.assertIn("./a.mtx is what is read", self.expect(2, *words, "./a.mtx").stderr)
        self.assertEqual((self.folder / "a.mtx").read_text(), before)

    def test_output_and_what_else_is_read(self):
        self.matrix()
        self.expect(0, "profile", "small.mtx", "--variants", "*.csr.static.*.w1.*")
        self.expect(0, "db", "export", "-o", "all.json")
        self.expect(0, "train", "-o", "m.sptm", "--trees", 1, "--pack", "s.spts")
        (entry,) = (self.folder / "db").glob("*/*.json")
        for words in (("db", "export", "--db", "all.json", "--format", "csv", "-o", "all.json"),
                      ("db", "list", "--db", "all.json", "--json", "all.json"),
                      ("db", "show", "small", "--db", "all.json", "--json", "all.json"),
                      ("db", "show", entry, "--json", entry), ("db", "show", "small.mtx", "--json", "small.mtx"),
                      ("train", "--samples", "s.spts=2", "-o", "s.spts"), ("train", "--db", "all.json", "-o", "all.json"),
                      ("evaluate", "--model", "m.sptm", "--json", "m.sptm"),
                      ("select", "small.mtx", "--model", "m.sptm", "--json", "m.sptm"),
                      ("spgemm", "small.mtx", "--db", "all.json", "--json", "all.json"),
                      ("profile", "small.mtx", "--db", "all.json", "--html", "all.json"),
                      ("compare", "small.mtx", "--db", "all.json", "--json", "all.json"),
                      ("info", "--db", "all.json", "--json", "all.json")):
            self.refused_and_untouched(*words)
        shutil.copy(self.folder / "all.json", self.folder / "t4-metadata.json")
        done = self.expect(2, "db", "export", "--db", "t4-metadata.json", "--format", "t4", "-o", "t4.json")
        self.assertIn("t4-metadata.json is what is read", done.stderr)
        self.expect(0, "db", "show", "small", "--json", "small")  # no file has that name
        self.expect(0, "train", "--keep", "m.sptm", "--trees", 1, "-o", "m.sptm")

    def test_output_and_what_the_environment_names(self):
        self.matrix()
        self.expect(0, "profile", "small.mtx", "--variants", "*.csr.static.*.w1.*")
        self.expect(0, "db", "export", "-o", "all.json")
        self.expect(0, "train", "-o", "m.sptm", "--trees", 1)
        self.environment.update(SPTUNE_DB="all.json", SPTUNE_MODEL="m.sptm")
        for words in (("select", "small.mtx", "--json"), ("spgemm", "small.mtx", "--json"),
                      ("spgemm", "small.mtx", "--blocks", 4, "--json"), ("compare", "small.mtx", "--json"),
                      ("profile", "small.mtx", "--html"), ("info", "--json"), ("info", "--kernels", "*", "--json")):
            self.refused_and_untouched(*words, "all.json")
            self.refused_and_untouched(*words, "./m.sptm")
        for words in (("db", "list", "--json"), ("db", "show", "small", "--json"), ("db", "export", "-o"),
                      ("evaluate", "--json"), ("train", "-o"), ("train", "--pack")):
            self.refused_and_untouched(*words, "all.json")
        self.expect(0, "select", "small.mtx", "--json", "answer.json")

    def refused_and_untouched(self, *words):
        """The last word names an output that is read, too."""
        before = (self.folder / words[-1]).read_bytes()
        done = self.expect(2, *words)
        self.assertIn("is what is read", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual((self.folder / words[-1]).read_bytes(), before)

    @unittest.skipUnless(os.access("/dev/shm", os.W_OK), "there is no /dev/shm")
    def test_files_in_memory_are_files(self):
        self.matrix()
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            shutil.copy(self.folder / "small.mtx", f"{folder}/a.mtx")
            done = self.expect(2, "features", f"{folder}/a.mtx", "--json", f"{folder}/a.mtx")
            self.assertIn("is what is read", done.stderr)
            self.expect(0, "profile", "small.mtx", "--variants", "*.csr.static.*.w1.*")
            self.expect(0, "db", "export", "--format", "t4", "-o", f"{folder}/t.json")
            self.assertEqual(json.loads(Path(f"{folder}/t-metadata.json").read_text())["schema_version"], "1.0.0")

    def test_what_the_shell_has_opened_is_written_to(self):
        self.matrix()
        self.write("log", "before\n")
        self.assertEqual(self.code_of(">> log", "features", "small.mtx", "--json", "/dev/stdout"), 0)
        text = (self.folder / "log").read_text()
        self.assertTrue(text.startswith("before\n{"), text)

    def test_what_is_in_a_stream_stays(self):
        self.matrix()
        self.write("log", "before\n")
        self.assertEqual(self.code_of("3>> log >/dev/null", "features", "small.mtx", "--json", "/dev/fd/3"), 0)
        self.assertTrue((self.folder / "log").read_text().startswith("before\n{"))

    def test_devices_may_take_several(self):
        self.expect(0, "spgemm", self.matrix(), "-o", "c.mtx", "--json", "/dev/null")
        self.expect(0, "profile", "small.mtx", "--variants", "*.csr.static.x32.*", "--json", "/dev/null", "--html",
                    "/dev/null")


class Streams(CliTest):
    """What cannot be written, or is closed."""

    def test_complaints_that_nobody_hears_change_no_code(self):
        self.matrix("a.mtx")
        for silence in ("2>/dev/full", "2>&-"):
            self.assertEqual(self.code_of(silence, "convert", "a.mtx", "b.mtx"), 0)
            self.assertEqual(self.code_of(silence, "features", "nosuch.mtx"), 3)
            self.assertEqual(self.code_of(silence, "--nosuch"), 2)

    def test_results_that_nobody_gets_are_a_failure(self):
        self.matrix("a.mtx")
        for loss in (">/dev/full", ">&-"):
            for words in (("features", "a.mtx"), ("profile", "a.mtx", "--budget", "0.2", "--json", "-"),
                          ("compare", "--help")):
                self.assertEqual(self.code_of(loss + " 2>/dev/null", *words), 1, (loss, words))

    def test_links_to_what_is_not_there_yet_are_followed(self):
        self.matrix("a.mtx")
        (self.folder / "link.spt").symlink_to("new.spt")
        self.expect(0, "convert", "a.mtx", "link.spt")
        self.assertTrue((self.folder / "link.spt").is_symlink())
        self.expect(0, "features", "new.spt")
        for name, to, reason in (("loop.spt", "loop.spt", "symbolic links"), ("lost.spt", "nowhere/x.spt", "no folder")):
            (self.folder / name).symlink_to(to)
            self.assertIn(reason, self.expect(1, "convert", "a.mtx", name).stderr)
            self.assertTrue((self.folder / name).is_symlink())

    def test_who_may_read_a_file_stays_when_it_is_replaced(self):
        self.matrix("a.mtx")
        for mode in (0o600, 0o664):
            (self.folder / "b.mtx").touch()
            (self.folder / "b.mtx").chmod(mode)
            self.expect(0, "convert", "a.mtx", "b.mtx")
            self.assertEqual((self.folder / "b.mtx").stat().st_mode & 0o777, mode)

    def test_files_beyond_a_limit_are_told_of(self):
        self.matrix("a.mtx", 2500)
        for words, complaint in ((("convert", "a.mtx", "b.mtx"), "cannot write b.mtx: File too large"),
                                 (("profile", "a.mtx", "--budget", 1, "--html", "r.html"), "not stored: cannot write ")):
            line = "ulimit -f 4; " + " ".join(self.command(*words))
            done = subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment, timeout=100,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(complaint, done.stderr)

    def test_files_that_were_asked_for_outlive_stdout(self):
        self.matrix("a.mtx", 25), self.matrix("b.mtx", 36)
        fast = ("--variants", "*.csr.static.x32.*")
        for loss in (">/dev/full 2>err", "2>err | true; exit ${PIPESTATUS[0]}"):
            with self.subTest(loss):
                self.assertEqual(self.code_of(loss, "profile", "a.mtx", "b.mtx", *fast, "--json", "p.json",
                                              "--html", "p.html"), 1)
                self.assertIn("stdout: cannot be written", (self.folder / "err").read_text())
                self.assertNotIn("Not stored", (self.folder / "err").read_text())
                documents = json.loads((self.folder / "p.json").read_text())
                self.assertEqual([d["matrix"]["name"] for d in documents], ["a", "b"])
                self.assertIn("<h2>b", (self.folder / "p.html").read_text())
                (self.folder / "p.json").unlink(), (self.folder / "p.html").unlink()
        self.assertEqual(self.code_of(">/dev/full 2>err", "compare", "a.mtx", "--budget", 2, "--json", "c.json"), 1)
        self.assertEqual(len(json.loads((self.folder / "c.json").read_text())["results"]), 1)
        self.assertEqual(self.code_of(">/dev/full 2>err", "spgemm", "a.mtx", "--blocks", 4, "-o", "c.mtx"), 1)
        self.assertTrue((self.folder / "c.mtx").exists())

    def test_a_file_that_cannot_be_written_costs_no_other_result(self):
        self.matrix("a.mtx", 25)
        self.environment["SPTUNE_WORKER"] = "off"
        done = self.run_sptune("profile", "a.mtx", "--variants", "*.csr.static.x32.*", "--json", "/dev/full", "--html",
                               "p.html")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/dev/full: cannot be written", done.stderr)
        self.assertIn("Winner", done.stdout)
        self.assertTrue((self.folder / "p.html").exists())


if __name__ == "__main__":
    main()
