"""sptune select: the document and its schema, the order of sources, constraints, exit codes."""
import json
import re

from harness import CliTest, main

CPU = ("--backend", "cpu")


class Select(CliTest):
    def select(self, *words, code=0):
        return json.loads(self.expect(code, "select", *CPU, *words, "--json", "-").stdout)

    def test_document(self):
        path = self.matrix("a.mtx", 900)
        document = self.select(path, "--calls", 500, "--precision", "f32")
        self.assertEqual(list(document), ["schema", "matrix", "id", "source", "predicted_us", "confidence",
                                          "break_even_calls", "runners_up", "select_us", "why"])
        self.assertEqual(document["schema"], "sptune.select/1")
        self.assertEqual((document["matrix"]["name"], document["matrix"]["rows"]), ("a", 900))
        self.assertIn(document["source"], ("model", "heuristic"))
        self.assertTrue(document["id"].endswith(".f32.i32"), document["id"])
        self.assertGreater(document["predicted_us"], 0)
        self.assertIn("has not been measured", document["why"])
        for runner in document["runners_up"]:
            self.assertEqual(runner.keys(), {"id", "predicted_us"})
        self.assert_valid(document, "select", source="guess")

    def test_graphs_are_for_a_gpu(self):
        refused = self.expect(2, "select", *CPU, self.matrix("a.mtx", 900), "--in-graphs")
        self.assertIn("--in-graphs: CUDA graphs run on a GPU", refused.stderr)

    def test_numbers_are_those_of_the_reasons(self):
        path = self.matrix("a.mtx", 40000)
        chosen = self.select(path, "--no-db", "--threads", 1, "--variants", "*.sell.*", "--calls", 123456)
        self.assertRegex(chosen["why"], r"repaid after \S+ calls? of 123456")
        (told,) = re.findall(r"predicts ([\d.]+) µs for", chosen["why"])
        self.assertAlmostEqual(chosen["predicted_us"] / float(told), 1, delta=0.01)
        runners = self.select(path, "--no-db", "--threads", 1, "--variants", "*.csr.*")["runners_up"]
        self.assertTrue(all(runner["predicted_us"] > 0 for runner in runners), runners)
        never = self.select(path, "--no-db", "--threads", 1, "--variants", "*.coo.*")
        self.assertIn("its conversion never pays", never["why"])
        self.assertIsNone(never["break_even_calls"])

    def test_a_profile_decides(self):
        path = self.matrix("a.mtx", 900)
        self.expect(0, "profile", *CPU, path, "--variants", "*.csc.*")
        (file,) = (self.folder / "db").rglob("*.json")
        winner = json.loads(file.read_text())["winner"]
        chosen = self.select(path, "--calls", 10**9)
        self.assertEqual((chosen["source"], chosen["id"], chosen["confidence"]), ("exact", winner, 1))
        self.assertIn("times are measured ones", self.expect(0, "select", *CPU, path).stdout)
        # Other threads are another device, other values another key.
        other = self.select(path, "--threads", 1 if "-1t" not in str(file) else 2)
        self.assertNotEqual(other["source"], "exact")
        self.assertIn("another device", other["why"])
        self.assertNotEqual(self.select(path, "--precision", "f32")["source"], "exact")
        self.assertNotEqual(self.select(path, "--no-db")["source"], "exact")
        # An exported file will do.
        export = self.folder / "export.json"
        self.expect(0, "db", "export", "-o", export, "--format", "json")
        self.environment["SPTUNE_DB"] = str(self.folder / "nowhere")
        self.assertNotEqual(self.select(path)["source"], "exact")
        self.assertEqual(self.select(path, "--db", export, "--calls", 10**9)["id"], winner)
        self.environment["SPTUNE_DB"] = str(export)
        self.assertEqual(self.select(path, "--calls", 10**9)["id"], winner)

    def test_a_doctored_entry_is_not_believed(self):
        path = self.matrix("a.mtx", 900)
        self.expect(0, "profile", *CPU, path)
        (file,) = (self.folder / "db").rglob("*.json")
        entry = json.loads(file.read_text())
        wrong = next(c for c in entry["candidates"] if c["status"] == "illegal")
        wrong |= {"status": "ok", "time_us": {"median": 0.01, "mad": 0, "min": 0.01, "samples": [0.01]}}
        entry["winner"] = wrong["id"]
        file.write_text(json.dumps(entry))
        self.assertIn("as its checksum tells", self.expect(1, "db", "check").stdout)
        told = self.expect(0, "select", *CPU, path).stderr
        self.assertIn(f"{file}: used, but it has changed since sptune wrote it", told)
        del entry["checksum"]  # by somebody who vouches for it
        file.write_text(json.dumps(entry))
        self.expect(0, "db", "check")  # nothing tells by itself
        chosen = self.select(path, "--calls", 10**6)
        self.assertNotEqual(chosen["source"], "exact")
        self.assertNotEqual(chosen["id"], wrong["id"])
        self.assertIn(f"{wrong['id']}, stored as fast, cannot be used on this matrix: ", chosen["why"])

    def test_times_under_another_library_are_named_or_left_out(self):
        path = self.matrix("a.mtx", 900)
        self.expect(0, "profile", *CPU, path, "--variants", "*.csc.*")
        (file,) = (self.folder / "db").rglob("*.json")
        entry = json.loads(file.read_text())
        next(c for c in entry["candidates"] if c["id"] == entry["winner"])["vendor"] = True
        entry["provenance"]["vendor_library"] = "MKL 1"
        file.write_text(json.dumps(entry))
        for validate, source, named in (("warn", "exact", True), ("ignore", "exact", False), ("strict", "model", True)):
            chosen = self.select(path, "--validate", validate)
            self.assertEqual((chosen["source"], "MKL 1" in chosen["why"]), (source, named), validate)

    def test_order_of_databases(self):
        path = self.matrix("a.mtx", 900)
        self.expect(0, "profile", *CPU, path, "--variants", "*.csc.*")
        own, system = self.folder / "home" / "sptune" / "db", self.folder / "system" / "sptune"
        system.mkdir(parents=True)
        self.expect(0, "db", "export", "-o", system / "db.json", "--format", "json")
        measured = self.environment.pop("SPTUNE_DB")
        self.environment |= {"XDG_DATA_HOME": str(self.folder / "home"),
                             "XDG_DATA_DIRS": str(self.folder / "system")}
        chosen = self.select(path)
        self.assertEqual(chosen["source"], "exact")
        self.assertIn(f"the system's database {system / 'db.json'}", chosen["why"])
        self.assertNotEqual(self.select(path, "--db", self.folder)["source"], "exact")
        self.expect(0, "db", "merge", measured)  # writes to the user's own
        self.assertNotIn("system's", self.select(path)["why"])
        info = json.loads(self.expect(0, "info", "--json", "-").stdout)
        self.assertEqual(info["db"], str(own))
        listed = [(item["owner"], item["path"], item["state"]) for item in info["databases"]]
        self.assertEqual(listed[:3], [("user", str(own), "folder"), ("system", str(system / "db"), "nothing there"),
                                      ("system", str(system / "db.json"), "exported file")])
        self.assertEqual(listed[-1][0], "built-in")
        # A broken one is a warned miss.
        (system / "db.json").write_text("{}")
        (own / next(own.iterdir()).name / next(own.rglob("*.json")).name).unlink()
        done = self.expect(0, "select", *CPU, path)
        self.assertEqual(done.stderr.count("db.json: ignored: "), 1, done.stderr)

    def test_mode_of_the_environment(self):
        path = self.matrix("a.mtx", 900)
        self.expect(0, "profile", *CPU, path, "--variants", "*.csc.*")
        self.environment["SPTUNE_MODE"] = "off"  # as the library: whatever is stored
        chosen = self.select(path, "--calls", 10**9)
        self.assertEqual(chosen["source"], "heuristic")
        self.assertIn(".csr.static.x32.l1.u1.", chosen["id"])
        self.assertEqual(chosen["why"], f"SPTUNE_MODE is off: plain CSR, {chosen['id']}.")
        report = self.expect(0, "select", *CPU, path).stdout
        self.assertIn("nothing is known of its time", report)
        self.assertNotIn("times are", report)
        self.environment["SPTUNE_MODE"] = "tune"
        first = "SPTUNE_MODE is tune: a program would measure this matrix first"
        self.assertNotIn(first, self.expect(0, "select", *CPU, path).stderr)
        self.assertIn(first, self.expect(0, "select", *CPU, path, "--precision", "f32").stderr)
        self.assertNotIn(first, self.expect(0, "select", *CPU, path, "--no-db").stderr)
        self.environment["SPTUNE_MODE"] = "perhaps"
        for command in ("select", "compare", "spgemm"):
            self.assertIn("SPTUNE_MODE: expected off, read or tune", self.expect(2, command, *CPU, path).stderr)

    def test_constraints(self):
        path = self.matrix("a.mtx", 40000)
        baseline = self.select(path, "--memory", 0, "--convert", 0)
        self.assertEqual(baseline["break_even_calls"], 0)
        self.assertIn(".csr.", baseline["id"])
        self.assertIn(".sell.", self.select(path, "--variants", "*.sell.*")["id"])
        self.assertIn(".sell.", self.select(path, "--variants", "*.sell.*", "--memory", 100, "--convert", 50)["id"])
        self.assertRegex(self.select(path, "--variants", "*.sell.*", "--deterministic")["why"],
                         "another kernel would change results|never pays")
        for words, named in ((("--error", 1e-20), "error bound"), (("--variants", "nothing"), "variants"),
                             (("--variants", "*.sell.*", "--memory", 0.001), "memory cap"),
                             (("--variants", "*.sell.*", "--convert", 0.001), "longest conversion")):
            self.assertIn(named, self.expect(1, "select", *CPU, path, *words).stderr)
        self.expect(0, "generate", "uniform", "--rows", 3000, "--density", "0.01", "-o", "scattered.mtx")
        refused = self.expect(1, "select", *CPU, "scattered.mtx", "--variants", "*.dia.*").stderr
        self.assertRegex(refused, r'matches "\*\.dia\.\*" suits this matrix: \S*\.dia\.\S*: \w')

    def test_report(self):
        path = self.matrix("a.mtx", 900)
        done = self.expect(0, "select", *CPU, path)
        self.assertIn("× CSR", done.stdout)
        self.assertIn("times are predictions", done.stdout)
        self.assertEqual(done.stderr, "")
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 100, line)

    def test_slower_than_csr_is_below_one(self):
        done = self.expect(0, "select", *CPU, "--no-db", "--threads", 1, "--variants", "*.coo.*",
                           self.matrix("a.mtx", 40000))
        factors = {line.split()[0]: line.split()[-1] for line in done.stdout.splitlines() if line.endswith("×")}
        slower = [kernel for kernel, factor in factors.items() if factor.startswith("0.")]
        self.assertTrue(slower, done.stdout)
        self.assertTrue(all(".coo." in kernel for kernel in slower), done.stdout)

    def test_exit_codes(self):
        self.expect(2, "select")
        self.environment["SPTUNE_SIMD"] = "foo"
        done = self.expect(2, "select", *CPU, self.matrix("b.mtx", 100))
        self.assertIn("sptune: SPTUNE_SIMD=foo is unknown", done.stderr)
        del self.environment["SPTUNE_SIMD"]
        self.expect(2, "select", "--calls", 0, "a.mtx")
        self.expect(3, "select", *CPU, "nothing.mtx")
        path = self.matrix("a.mtx", 100)
        self.assertIn("there is no such database", self.expect(3, "select", *CPU, path, "--db", "typo").stderr)
        model = self.write("broken.sptm", "SPTM and nothing else")
        self.assertIn("broken.sptm", self.expect(3, "select", *CPU, path, "--model", model).stderr)
        devices = json.loads(self.expect(0, "info", "--json", "-").stdout)["devices"]
        if all(device["backend"] == "cpu" for device in devices):
            self.expect(4, "select", "--backend", "cuda", self.matrix("a.mtx", 100))

    def test_empty_matrices(self):
        for size in ("0 0 0", "3 0 0", "1 1 0"):
            path = self.write("tiny.mtx", f"%%MatrixMarket matrix coordinate real general\n{size}\n")
            with self.subTest(size):
                self.assertTrue(self.select(path)["id"])
                self.assertIn(".csr.", self.select(path, "--memory", 0)["id"])


if __name__ == "__main__":
    main()
