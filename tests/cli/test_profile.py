"""`sptune profile`: the document, the report, the database, budgets and Ctrl-C."""
import json
import os
import pty
import signal
import subprocess

from harness import CliTest, main

FAST = ("--variants", "*.csr.*")


class Profile(CliTest):
    def entries(self):
        return [json.loads(path.read_text()) for path in (self.folder / "db").rglob("*.json")]

    def test_document(self):
        path = self.matrix()
        done = self.expect(0, "profile", path, "--variants", "*.csr.*,*.sell.*c8.*", "--json", "-")
        document = json.loads(done.stdout)  # alone on stdout
        self.assertEqual(document["schema"], "sptune.profile/1")
        self.assert_valid(document, "profile", candidates=[{}])
        self.assertEqual(document["matrix"]["path"], str(path))
        self.assertEqual((document["matrix"]["rows"], document["matrix"]["nnz"]), (400, 1920))
        self.assertLessEqual({"name", "cols", "fingerprint"}, document["matrix"].keys())
        self.assertLessEqual({"backend", "name", "bandwidth_gbs"}, document["device"].keys())
        self.assertEqual((document["precision"], document["cache"]), ("f64", "warm"))
        self.assertTrue(document["complete"])
        ids = {candidate["id"] for candidate in document["candidates"]}
        self.assertLessEqual({document["winner"], document["baseline"]}, ids)
        self.assertLessEqual({"speedup_vs_baseline", "break_even_calls", "features"}, document.keys())
        for candidate in document["candidates"]:
            with self.subTest(candidate["id"]):
                self.assertLessEqual({"op", "backend", "format", "algorithm", "params", "status",
                                      "reason"}, candidate.keys())
                if candidate["status"] == "ok":
                    self.assertLessEqual({"median", "mad", "min", "samples"},
                                         candidate["time_us"].keys())
                    self.assertLessEqual(candidate["error"], 1)
                    self.assertLessEqual({"bytes", "gflops", "gbs", "convert_us"}, candidate.keys())

    def test_several_matrices_make_an_array(self):
        self.matrix("a.mtx"), self.matrix("b.mtx", 900)
        self.expect(0, "profile", "a.mtx", "b.mtx", *FAST, "--json", "out.json")
        names = [d["matrix"]["name"] for d in json.loads((self.folder / "out.json").read_text())]
        self.assertEqual(names, ["a", "b"])

    def test_where_nothing_was_measured_documents_stay(self):
        for words in ("typo.mtx",), ("typo.mtx", "other.mtx"):
            for command, target in (("profile", "--json"), ("profile", "--html"), ("compare", "--json")):
                self.write("old", "of an earlier run")
                self.expect(3, command, *words, target, "old")
                self.assertEqual((self.folder / "old").read_text(), "of an earlier run")
        self.assertEqual(self.expect(3, "profile", "typo.mtx", "other.mtx", "--json", "-").stdout, "[]\n")

    def test_report_is_narrow_plain_and_complete(self):
        done = self.expect(0, "profile", self.matrix(), *FAST, "--calls", 1000)
        for words in ("400 × 400", "GFLOP/s", "Winner: spmv.cpu.", "For 1,000 calls", "Stored in"):
            self.assertIn(words, done.stdout)
        self.assertNotIn("\033", done.stdout + done.stderr)
        for line in done.stdout.splitlines():
            if not line.startswith("Stored in"):  # a path may be long
                self.assertLessEqual(len(line), 100, line)

    def test_stores_unless_told_not_to(self):
        path = self.matrix()
        self.expect(0, "profile", path, *FAST, "--no-db")
        self.assertFalse((self.folder / "db").exists())
        self.expect(0, "profile", path, *FAST, "--precision", "f32", "--threads", 1)
        (entry,) = self.entries()
        self.assertTrue(entry["complete"])
        self.assertNotIn(str(self.folder), json.dumps(entry))

    def test_a_place_that_cannot_be_written_fails_before_the_sweep(self):
        taken, path = self.write("taken", "not a folder"), self.matrix()
        for command in ("profile", "compare"):
            for option, place in (("--db", taken / "db"), ("--db", path), ("--json", taken / "x.json"),
                                  ("--json", self.folder / "no" / "x.json"), ("--json", self.folder)):
                with self.subTest(f"{command} {option} {place}"):
                    done = self.expect(1, command, path, option, place)
                    self.assertEqual(done.stdout, "")
                    self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                    self.assertIn(str(place), done.stderr)
        self.expect(1, "profile", path, "--html", taken / "x.html")
        self.expect(1, "train", "-o", taken / "model")
        self.expect(1, "evaluate", "--json", taken / "x.json")

    def test_budget_stops_with_partial_results(self):
        path = self.matrix(rows=90000)
        done = self.expect(6, "profile", path, "--budget", 0.05)
        self.assertIn("the same command goes on from here", done.stderr)
        (entry,) = self.entries()
        self.assertFalse(entry["complete"])
        self.assertTrue(entry["winner"])
        done = self.expect(6, "profile", path, "--no-db", "--budget", 0.05)
        self.assertIn("a larger --budget gets further", done.stderr, "nothing is kept to go on from")

    def test_where_matrices_are_several_resume_goes_on(self):
        self.matrix("a.mtx", 90000), self.matrix("b.mtx", 40000)
        done = self.expect(6, "profile", "a.mtx", "b.mtx", "--budget", 0.05)
        self.assertIn("the same command with --resume goes on from here", done.stderr)

    def test_cold_caches_are_told_apart(self):
        done = self.run_sptune("profile", self.matrix(), *FAST, "--cache", "cold", "--budget", 0.5, "--json", "-")
        self.assertIn(done.returncode, (0, 6), done.stderr)
        self.assertEqual(json.loads(done.stdout)["cache"], "cold")
        self.assertEqual([entry["cache"] for entry in self.entries()], ["cold"])

    def test_times_under_another_library_are_gone_on_from_unless_validate_is_strict(self):
        path = self.matrix()
        some = ("--variants", "*.csr.static.x32.l1.*,*.coo.*")  # COO is too slow to be timed once more
        self.expect(0, "profile", path, *some)
        (file,) = (self.folder / "db").rglob("*.json")
        before = json.loads(file.read_text())
        kernel = next(c for c in before["candidates"] if c["id"] == before["baseline"])
        kernel["vendor"], before["provenance"]["vendor_library"] = True, "MKL 1"
        for validate, told, kept in (("ignore", False, True), ("warn", True, True), ("strict", True, False)):
            file.write_text(json.dumps(before))
            done = self.expect(0, "profile", path, *some, "--resume", "--validate", validate, "--json", "-")
            self.assertEqual("earlier times were measured with MKL 1" in done.stderr, told, validate)
            times = {c["id"]: c["time_us"] for c in json.loads(done.stdout)["candidates"]}
            same = [c["id"] for c in before["candidates"] if c["time_us"] and times[c["id"]] == c["time_us"]]
            self.assertEqual(bool(same), kept, validate)

    def test_restricted_and_stopped_runs_add_up(self):
        path = self.matrix()
        self.expect(0, "profile", path, "--threads", 1, "--variants", "*.sell.simd.c8.s1.*")

        def reached():
            (entry,) = self.entries()
            return {c["id"] for c in entry["candidates"] if c["status"] != "not_reached"}
        first = before = reached()
        for _ in range(4):
            done = self.run_sptune("profile", path, "--threads", 1, "--budget", 0.1)
            self.assertIn(done.returncode, (0, 6), done.stderr)
            self.assertLessEqual(before, reached())
            before = reached()
            if done.returncode == 0:  # on a machine at rest they soon get to the end
                break
        self.assertLess(first, before)
        done = self.expect(0, "profile", path, "--threads", 1, "--variants", "*.sell.simd.c8.s1.*")
        self.assertIn("Not stored: the entry that is there knows more", done.stdout)
        self.assertEqual(before, reached())

    def test_a_fresh_run_replaces_only_what_it_has_measured(self):
        def stored():
            (entry,) = self.entries()
            return entry, {c["id"]: c["time_us"] for c in entry["candidates"]}
        path = self.matrix()
        self.expect(0, "profile", path, "--threads", 1)
        before, old = stored()
        done = self.expect(6, "profile", path, "--threads", 1, "--fresh", "--budget", 0.02)
        self.assertIn("Not stored: the entry that is there knows more", done.stdout)
        self.assertIn("--fresh starts over", done.stderr)
        self.assertEqual(stored()[0], before)
        done = self.expect(6, "profile", path, "--threads", 1, "--budget", 0.02)
        self.assertIn("a larger --budget gets further", done.stderr)

        done = self.expect(0, "profile", path, "--threads", 1, "--fresh", "--variants", before["baseline"])
        self.assertIn("Stored, with what an earlier run has measured", done.stdout)
        entry, new = stored()
        self.assertTrue(entry["complete"])
        self.assertNotIn("variants", entry["provenance"])
        self.assertEqual(old.keys(), new.keys())
        self.assertEqual({kernel for kernel, time in new.items() if time != old[kernel]}, {entry["baseline"]})

        self.expect(0, "profile", path, "--threads", 1, "--fresh")
        _, newest = stored()
        self.assertFalse([kernel for kernel, time in newest.items() if time and time == new.get(kernel)])

    def test_times_of_other_values_are_kept_apart(self):
        """Of one pattern: with values that are all the same, which some kernels leave out, and with others."""
        places = [(i, j) for i in range(1, 301) for j in (i - 1, i, i + 1) if 1 <= j <= 300]
        files = {}
        for kind, value in (("pattern", lambda k: ""), ("real", lambda k: f" {k + 1}")):
            files[kind] = self.write(f"{kind}.mtx", f"%%MatrixMarket matrix coordinate {kind} general\n300 300 {len(places)}\n"
                                    + "".join(f"{i} {j}{value(k)}\n" for k, (i, j) in enumerate(places)))
        varied, ones = files["real"], files["pattern"]

        def stored():
            (entry,) = self.entries()
            measured = {c["id"] for c in entry["candidates"] if c["time_us"]}
            return entry, "one_value" in entry["provenance"], {i for i in measured if ".sell.simd.c8.s1." in i}

        self.expect(0, "profile", varied, "--threads", 1, "--variants", "*.sell.simd.c8.s1.*")
        self.assertTrue(stored()[2])
        done = self.expect(0, "profile", ones, "--threads", 1, "--variants", "*.sell.simd.c16.s1.*", "--html", "one.html")
        for text in (done.stdout, (self.folder / "one.html").read_text()):
            self.assertIn("sell on a CPU leaves them out", " ".join(text.split()))
        self.assertEqual(stored()[1:], (True, set()))

        self.expect(0, "profile", varied, "--threads", 1)
        before, one_value, _ = stored()
        self.assertFalse(one_value)
        for words in (("--budget", 0.02), ("--variants", "*.sell.simd.c8.s1.*")):
            done = self.run_sptune("profile", ones, "--threads", 1, *words)
            self.assertIn("Not stored: the entry that is there is of other values", done.stdout)
            self.assertEqual(stored()[0], before)
        self.assertIn("times are reckoned from those of other values", self.expect(0, "select", ones, "--threads", 1).stdout)
        self.expect(0, "profile", ones, "--threads", 1)
        self.assertTrue(stored()[1])
        self.assertIn("times are measured ones", self.expect(0, "select", ones, "--threads", 1).stdout)

    def test_globs_that_match_nothing(self):
        path = self.matrix()
        done = self.expect(2, "profile", path, "--variants", "*.sel.*")
        self.assertIn('no kernel of this build matches "*.sel.*"', done.stderr)
        self.assertIn("sptune info --kernels", done.stderr)
        self.assertFalse((self.folder / "db").exists())
        done = self.expect(2, "profile", path, "--variants", "*.f64.*", "--precision", "f32", "--backend", "cpu")
        self.assertIn('matches "*.f64.*" for spmv with f32 values on cpu; ', done.stderr)
        done = self.expect(0, "profile", path, "--variants", "*.csr.static.x32.*,*.sel.*")
        self.assertIn('no kernel of this build matches "*.sel.*"', done.stderr)

    def test_a_named_mkl_has_to_be_there(self):
        for command in ("profile", "compare", "select"):
            done = self.expect(3, command, self.matrix(), "--mkl", "/nonexistent")
            self.assertEqual(done.stdout, "")
            self.assertIn("/nonexistent: holds no Intel MKL to use: not found", done.stderr)
        self.environment["SPTUNE_MKL"] = "/nonexistent"
        done = self.expect(0, "select", self.matrix(), "--no-db", "--backend", "cpu")
        self.assertEqual(done.stderr.count("SPTUNE_MKL: /nonexistent holds no Intel MKL to use"), 1, done.stderr)

    def test_tiny_matrices(self):
        for size in ("0 0 0", "3 0 0", "0 3 0", "1 1 0", "1 1 1\n1 1 2.5"):
            path = self.write("tiny.mtx",
                              f"%%MatrixMarket matrix coordinate real general\n{size}\n")
            with self.subTest(size):
                self.expect(0, "profile", path, *FAST)


class OnTerminal(CliTest):
    """stderr and stdout are a terminal of their own."""

    def start(self, *words):
        try:
            ours, theirs = pty.openpty()
        except OSError as failure:  # a container without /dev/pts
            self.skipTest(f"no terminal: {failure}")
        self.addCleanup(os.close, ours)
        process = subprocess.Popen(self.command(*words), cwd=self.folder, stdin=subprocess.DEVNULL,
                                   env={**self.environment, "TERM": "xterm"}, stdout=theirs,
                                   stderr=theirs)
        os.close(theirs)
        self.addCleanup(process.kill)
        return process, ours

    def read_until(self, terminal, words=None):
        """What appears, up to `words` or else to the end."""
        seen = b""
        while words is None or words.encode() not in seen:
            try:
                piece = os.read(terminal, 65536)
            except OSError:  # the other side is closed
                piece = b""
            if not piece:
                self.assertIsNone(words, f"never saw {words}: {seen.decode()}")
                break
            seen += piece
        return seen.decode()

    def test_interrupted_sweep_is_stored_and_resumed(self):
        path = self.matrix(rows=250000)
        for sent, code in ((signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)):
            process, terminal = self.start("profile", path, "--fresh")
            self.read_until(terminal, "best ")  # the sweep's progress: something was measured
            process.send_signal(sent)
            rest = self.read_until(terminal)
            self.assertEqual(process.wait(), code, rest)
            (file,) = (self.folder / "db").rglob("*.json")
            before = json.loads(file.read_text())
            self.assertFalse(before["complete"])
            self.assertGreater(len([c for c in before["candidates"] if c["status"] == "ok"]), 0)

        # The next run takes over what was measured, here with nothing else to measure.
        measured = [c for c in before["candidates"] if c["status"] == "ok"]
        glob = ",".join(c["id"] for c in measured)
        document = json.loads(
            self.expect(0, "profile", path, "--json", "-", "--variants", glob).stdout)
        again = {c["id"]: c for c in document["candidates"] if c["status"] == "ok"}
        self.assertLessEqual({c["id"] for c in measured}, again.keys())

    def test_colour_only_where_wanted(self):
        path = self.matrix()
        for extra, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
            self.environment.pop("NO_COLOR", None)
            self.environment.update(extra)
            process, terminal = self.start("profile", path, *FAST)
            text = self.read_until(terminal)
            self.assertEqual(process.wait(), 0, text)
            self.assertEqual("\033[1" in text, coloured, text)


if __name__ == "__main__":
    main()
