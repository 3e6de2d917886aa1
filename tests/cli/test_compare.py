"""`sptune compare`: the document, the table, the choice, the database and the exit codes."""
import json
import math

from harness import CliTest, main

ONE = ("--backend", "cpu", "--threads", 1)  # one thread: less noise, and the machine may be busy


class Compare(CliTest):
    def document(self, *words, code=0):
        return json.loads(self.expect(code, "compare", *ONE, *words, "--json", "-").stdout)

    def entries(self):
        return list((self.folder / "db").rglob("*.json"))

    def test_document(self):
        self.matrix("a.mtx", 100)
        self.expect(0, "generate", "uniform", "--rows", 200, "-o", self.folder / "b.mtx")
        document = self.document("a.mtx", "b.mtx", "--precision", "f32")
        self.assertEqual(document["schema"], "sptune.compare/1")
        self.assertEqual((document["device"]["backend"], document["cache"]), ("cpu", "warm"))
        self.assertEqual([r["matrix"] for r in document["results"]], ["a", "b"])
        self.assertEqual((document["results"][0]["rows"], document["results"][0]["nnz"]), (100, 460))
        for result in document["results"]:
            self.assertEqual(result.keys(),
                             {"matrix", "rows", "cols", "nnz", "precision", "floor_us", "csr_us",
                              "vendor", "vendor_best_us", "oracle", "auto", "auto_missing", "complete"})
            self.assertIsNone(result["auto_missing"])
            self.assertEqual(result["precision"], "f32")
            self.assertGreater(result["floor_us"], 0)
            self.assertGreater(result["csr_us"], 0)
            self.assertEqual(result["vendor_best_us"],
                             min((v["time_us"] for v in result["vendor"]), default=None))
            oracle, auto = result["oracle"], result["auto"]
            self.assertEqual(oracle.keys(), {"id", "time_us"})
            self.assertEqual(auto.keys(), {"id", "time_us", "select_us", "convert_us", "source"})
            # Nothing was stored before, so that the choice is a prediction.
            self.assertIn(auto["source"], ("model", "heuristic"))
            self.assertGreater(auto["time_us"], 0)
            self.assertGreater(auto["select_us"], 0)
        mean = document["geomean"]
        self.assertEqual(mean.keys(), {"oracle_vs_vendor_best", "auto_vs_vendor_best",
                                       "auto_vs_csr", "auto_vs_oracle"})
        speed_ups = [r["csr_us"] / r["auto"]["time_us"] for r in document["results"]]
        self.assertAlmostEqual(mean["auto_vs_csr"], math.sqrt(math.prod(speed_ups)))
        regrets = [r["oracle"]["time_us"] / r["auto"]["time_us"] for r in document["results"]]
        self.assertAlmostEqual(mean["auto_vs_oracle"], math.sqrt(math.prod(regrets)))
        self.assertEqual(document["regret"].keys(), {"mean", "p95", "slower_than_csr", "each"})
        self.assertEqual(len(document["regret"]["each"]), 2)
        if not any(r["vendor"] for r in document["results"]):
            self.assertIsNone(mean["oracle_vs_vendor_best"])
            self.assertIsNone(mean["auto_vs_vendor_best"])
        self.assertEqual(len(self.entries()), 2)

        without_floor = {key: value for key, value in document["results"][0].items() if key != "floor_us"}
        self.assert_valid(document, "compare", results=[without_floor])

    def test_says_that_it_takes_no_notice_of_off(self):
        self.environment["SPTUNE_MODE"] = "off"
        done = self.expect(0, "compare", *ONE, self.matrix("a.mtx", 100), "--op", "spgemm")
        self.assertEqual(done.stderr.count("SPTUNE_MODE is off"), 1, done.stderr)

    def test_products(self):
        self.matrix("a.mtx", 400)
        self.write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 2\n1 3 1\n2 2 -1\n")
        document = self.document("a.mtx", "wide.mtx", "--op", "spgemm")
        self.assertEqual(document["op"], "spgemm")
        square, wide = document["results"]
        self.assertEqual((square["matrix"], square["nnz"]), ("a", 1920))
        self.assertGreater(square["products"], 4 * 1920)
        self.assertEqual(wide["products"], 3)
        for result in document["results"]:
            self.assertGreater(result["floor_us"], 0)
            self.assertIn(".gustavson.", self.baseline_of(result))
            self.assertLessEqual(result["oracle"]["time_us"], result["csr_us"] * 1.02)
            self.assertTrue(result["auto"]["id"].startswith("spgemm.cpu."))
            self.assertEqual(result["auto"]["source"], "model")
            self.assertGreater(result["auto"]["select_us"], 0)
        self.assert_valid(document, "compare")
        # What the sweep has found is what is chosen next.
        (again, _) = self.document("a.mtx", "wide.mtx", "--op", "spgemm")["results"]
        self.assertEqual((again["auto"]["id"], again["auto"]["source"]),
                         (square["oracle"]["id"], "exact"))
        report = self.expect(0, "compare", *ONE, "a.mtx", "--op", "spgemm").stdout
        for words in ("products", "× plain", "geomean", "(exact)"):
            self.assertIn(words, report)

    def baseline_of(self, result):
        (entry,) = [e for e in map(lambda path: json.loads(path.read_text()), self.entries())
                    if e["matrix"]["name"] == result["matrix"]]
        return entry["baseline"]

    def test_the_choice_is_what_the_database_held(self):
        path = self.matrix("a.mtx", 2500)
        # The only kernel that this entry knows besides the baseline.
        self.expect(0, "profile", *ONE, path, "--variants", "*.csc.*")
        (file,) = self.entries()
        known = json.loads(file.read_text())["winner"]
        (result,) = self.document(path)["results"]
        self.assertEqual((result["auto"]["id"], result["auto"]["source"]), (known, "exact"))
        # The next comparison finds what this one has stored.
        stored = json.loads(file.read_text())["winner"]
        self.assertEqual(stored, result["oracle"]["id"])
        (again,) = self.document(path)["results"]
        self.assertEqual(again["auto"]["id"], stored)

    def test_report(self):
        self.matrix("a.mtx", 100)
        done = self.expect(0, "compare", *ONE, "a.mtx", "--no-db")
        self.assertFalse((self.folder / "db").exists())
        for words in ("floor", "oracle", "vendor", "× CSR"):
            self.assertIn(words, done.stdout)
        self.assertRegex(done.stdout, r"\((model|heuristic)\)")
        self.assertTrue(done.stdout.splitlines()[-1].strip().startswith("geomean"), done.stdout)
        self.assertEqual(done.stderr, "")
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 100, line)

    def test_says_whose_values_are_left_out(self):
        self.matrix("a.mtx", 100)
        # With fewer than two entries a row nothing is left out.
        for name, width in (("one", 1), ("three", 3)):
            places = [f"{i} {(i + k) % 300 + 1}\n" for i in range(1, 301) for k in range(width)]
            self.write(f"{name}.mtx", f"%%MatrixMarket matrix coordinate pattern general\n300 300 {len(places)}\n" + "".join(places))
        done = self.expect(0, "compare", *ONE, "a.mtx", "one.mtx", "three.mtx", "--no-db", "--json", "c.json")
        self.assertIn(" three: all values are the same, and sell on a CPU leaves them out", " ".join(done.stdout.split()))
        document = json.loads((self.folder / "c.json").read_text())
        self.assertEqual([r.get("without_values") for r in document["results"]], [None, None, True])
        self.assert_valid(document, "compare")

    def test_unreadable_matrices_are_skipped(self):
        self.write("bad.mtx", "hello\n"), self.matrix("good.mtx", 100)
        done = self.expect(3, "compare", *ONE, "bad.mtx", "good.mtx", "nothing.mtx", "--json", "out")
        self.assertIn("bad.mtx", done.stderr)
        self.assertIn("nothing.mtx", done.stderr)
        document = json.loads((self.folder / "out").read_text())
        self.assertEqual([r["matrix"] for r in document["results"]], ["good"])
        self.assertIn("geomean", done.stdout)
        alone = self.expect(3, "compare", *ONE, "bad.mtx", "--json", "-")
        self.assertEqual(alone.stdout, "")

    def test_what_is_chosen_for_a_few_rows_can_be_measured(self):
        path = self.write("dup.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1.5\n1 1 2\n2 2 1\n")
        (result,) = self.document(path, "--no-db")["results"]
        self.assertIsNotNone(result["auto"], result["auto_missing"])

    def test_exit_codes(self):
        self.expect(2, "compare")
        self.assertIn("--cache", self.expect(2, "compare", "--cache", "hot", "a.mtx").stderr)
        devices = json.loads(self.expect(0, "info", "--json", "-").stdout)["devices"]
        if all(device["backend"] == "cpu" for device in devices):
            for backend in ("cuda", "all"):
                self.expect(4, "compare", "--backend", backend, "a.mtx")

    def test_budget_compares_what_was_measured(self):
        path = self.matrix("a.mtx", 90000)
        document = self.document(path, "--budget", 0.05, code=6)
        self.assertEqual((document["complete"], document["results"][0]["complete"]), (False, False))
        self.assert_valid(document, "compare")
        self.assertTrue(self.document(self.matrix("b.mtx", 100))["complete"])
        self.assertLessEqual(document["results"][0]["oracle"]["time_us"],
                             document["results"][0]["csr_us"] * 1.02)

    def test_empty_matrices(self):
        for size in ("0 0 0", "3 0 0", "1 1 0"):
            path = self.write("tiny.mtx",
                              f"%%MatrixMarket matrix coordinate real general\n{size}\n")
            with self.subTest(size):
                (result,) = self.document(path, "--no-db")["results"]
                self.assertIsNotNone(result["oracle"])


if __name__ == "__main__":
    main()
