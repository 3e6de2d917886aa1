"""Every kind of bad input ends in its published exit code and a message that helps."""
import json
import subprocess

from harness import CliTest, main

BANNER = "%%MatrixMarket matrix coordinate real general\n"


class Usage(CliTest):
    def test_help(self):
        for words in (["--help"], ["-h"], ["help"]):
            self.assertIn("profile", self.expect(0, *words).stdout)
        for name in ("profile", "compare", "features", "generate", "convert", "db", "train", "evaluate", "info", "select",
                     "spgemm"):
            with self.subTest(name):
                direct = self.expect(0, name, "--help")
                self.assertIn("Usage: sptune " + name, direct.stdout)
                self.assertEqual(direct.stderr, "")
                self.assertEqual(self.expect(0, "help", name).stdout, direct.stdout)

    def test_no_command_is_a_usage_error_that_shows_the_commands(self):
        done = self.expect(2)
        self.assertEqual(done.stdout, "")
        self.assertIn("Commands:", done.stderr)

    def test_version(self):
        self.assertRegex(self.expect(0, "--version").stdout, r"^sptune \d+\.\d+\.\d+\n$")

    def test_misspelt_command(self):
        self.assertIn("did you mean profile?", self.expect(2, "proflie").stderr)
        self.assertNotIn("did you mean", self.expect(2, "xyzzy").stderr)

    def test_misspelt_option(self):
        self.assertIn("did you mean --precision?",
                      self.expect(2, "profile", "--precison", "f32", "a.mtx").stderr)

    def test_options_are_not_abbreviated(self):
        self.expect(2, "profile", "--prec", "f32", "a.mtx")

    def test_bad_values_name_the_option(self):
        for option, value in (("--precision", "f16"), ("--budget", "soon"), ("--budget", "-1"),
                              ("--threads", "1.5"), ("--threads", "4097"), ("--calls", "nan"), ("--calls", "1e16"),
                              ("--cache", ""), ("--db", "")):
            with self.subTest(option=option, value=value):
                self.assertIn(option, self.expect(2, "profile", option, value, "a.mtx").stderr)

    def test_an_option_is_no_value_of_another(self):
        for words in (("--json", "--no-db"), ("--db", "--json", "-"), ("--budget", "--resume")):
            with self.subTest(words):
                done = self.expect(2, "profile", *words, "a.mtx")
                self.assertIn(words[0] + ": expected", done.stderr)
                self.assertIn("not the option " + words[1], done.stderr)

    def test_missing_and_spare_words(self):
        self.expect(2, "profile")
        self.expect(2, "convert", "a.mtx")
        self.expect(2, "convert", "a.mtx", "b.mtx", "c.mtx")
        self.expect(2, "profile", "--resume", "--fresh", "a.mtx")
        for command in ("profile", "compare", "select"):
            self.assertIn("--no-db and --db", self.expect(2, command, "--no-db", "--db", "x", "a.mtx").stderr)
        self.assertIn("--resume", self.expect(2, "profile", "--no-db", "--resume", "a.mtx").stderr)

    def test_two_documents_do_not_share_stdout(self):
        for html in ("-", "/dev/stdout"):
            done = self.expect(2, "profile", "--json", "-", "--html", html, "a.mtx")
            self.assertEqual(done.stdout, "")
            self.assertIn("--json and --html", done.stderr)

    def test_what_this_version_cannot_do(self):
        devices = json.loads(self.expect(0, "info", "--json", "-").stdout)["devices"]
        if all(device["backend"] == "cpu" for device in devices):
            for backend in ("cuda", "all"):
                self.assertIn("CUDA", self.expect(4, "profile", "--backend", backend, "a.mtx").stderr)
        self.assertIn("spgemm", self.expect(2, "profile", "--op", "gemm", "a.mtx").stderr)


class Refused(CliTest):
    def refused(self, path, *words):
        """The features command refuses `path` with exit 3, and the message holds all `words`."""
        done = self.expect(3, "features", path)
        self.assertEqual(done.stdout, "")
        for word in (str(path), *words):
            self.assertIn(word, done.stderr)

    def test_files_that_cannot_be_read(self):
        self.refused(self.folder / "nothing.mtx")
        self.refused(self.folder)

    def test_not_matrix_market(self):
        self.refused(self.write("text.mtx", "hello\n"))
        self.refused(self.write("empty.mtx", ""))

    def test_wrong_indices_name_the_line(self):
        for number, entry in (("3", "0 1 1.0"), ("3", "3 1 1.0"), ("3", "1 -1 1.0"), ("3", "1 x 1.0")):
            with self.subTest(entry):
                path = self.write("index.mtx", f"{BANNER}2 2 1\n{entry}\n")
                self.refused(path, f"index.mtx:{number}:")

    def test_wrong_counts(self):
        self.refused(self.write("few.mtx", BANNER + "2 2 2\n1 1 1.0\n"))
        self.refused(self.write("many.mtx", BANNER + "2 2 1\n1 1 1.0\n2 2 1.0\n"))
        self.refused(self.write("size.mtx", BANNER + "99999999999 2 1\n1 1 1.0\n"))

    def test_sums_that_are_not_finite(self):
        path = self.write("sum.mtx", BANNER + "3 3 3\n1 1 1e308\n2 2 1\n1 1 1e308\n")
        self.refused(path, "sum.mtx:5: what is given for row 1, column 1 adds up to more than f64 holds")
        for words in (("profile", path), ("spgemm", path), ("convert", path, "o.mtx"), ("select", path)):
            self.expect(3, *words)

    def test_what_no_memory_holds_is_not_begun(self):
        done = self.expect(2, "generate", "uniform", "--rows", 2000000000, "--density", 0.5, "-o", self.folder / "x.mtx")
        self.assertIn("make it smaller", done.stderr)

    def test_a_matrix_that_takes_too_much_memory_is_named(self):
        limit = "ulimit -v 4000000; "  # KiB
        def limited(*words):
            return subprocess.run(["bash", "-c", limit + " ".join(self.command(*words))], cwd=self.folder,
                                  env=self.environment, capture_output=True, text=True, timeout=100)
        if limited("--version").returncode:
            self.skipTest("no program runs with so little, as those of sanitizers do not")
        self.write("huge.mtx", BANNER + "2000000000 2000000000 1\n1 1 1.0\n")
        for words in (("convert", "huge.mtx", "o.spt"), ("features", "huge.mtx"), ("select", "huge.mtx"),
                      ("spgemm", "huge.mtx"), ("profile", "huge.mtx")):
            done = limited(*words)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(done.stderr, "sptune: huge.mtx: the matrix needs 8000000004 bytes, which could not be had\n")

    def test_complex_is_refused_by_name(self):
        text = "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1.0 0.0\n"
        self.refused(self.write("complex.mtx", text), "complex")

    def test_profile_goes_on_after_a_refused_matrix(self):
        bad = self.write("bad.mtx", "hello\n")
        done = self.expect(3, "profile", "--variants", "*.csr.*", bad, self.matrix())
        self.assertIn("bad.mtx", done.stderr)
        self.assertIn("Winner", done.stdout)


if __name__ == "__main__":
    main()
