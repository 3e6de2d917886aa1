"""features and info."""
import json

from harness import CliTest, main


class Show(CliTest):
    def test_features(self):
        path = self.matrix(rows=400)
        self.assertIn("Diagonals", self.expect(0, "features", path).stdout)
        document = json.loads(self.expect(0, "features", path, "--json", "-").stdout)
        self.assertEqual(document["schema"], "sptune.features/1")
        self.assertEqual((document["matrix"]["name"], document["matrix"]["path"]), ("small", str(path)))
        self.assertEqual(document["matrix"]["nnz"], 400 * 5 - 4 * 20)
        self.assertEqual(document["features"]["row_max"], 5)
        self.assertGreater(document["extract_us"], 0)
        self.assert_valid(document, "features", extract_us=None, features={})

    def test_features_in_words(self):
        self.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n"
                            "3 3 6\n1 1 1\n1 2 5\n2 1 6\n2 2 2\n2 3 7\n3 2 7\n")
        shown = self.expect(0, "features", "a.mtx").stdout
        for fact in ("shortest, longest +1, 3", "mean, median +2, 2", "empty +0", "pattern +100 %", "values +50 %",
                     "all values equal +no"):
            self.assertRegex(shown, rf"\n +{fact}\n")

    def test_matrices_without_entries(self):
        for rows, cols in ((0, 0), (0, 5), (5, 0), (1, 1)):
            path = self.write("none.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                          f"{rows} {cols} 0\n")
            with self.subTest(rows=rows, cols=cols):
                self.expect(0, "features", path)
                self.assert_valid(json.loads(self.expect(0, "features", path, "--json", "-").stdout), "features")

    def test_info(self):
        self.assertIn("database", self.expect(0, "info").stdout)
        document = json.loads(self.expect(0, "info", "--json", "-").stdout)
        self.assertEqual(document["schema"], "sptune.info/1")
        self.assertGreater(document["devices"][0]["bandwidth_gbs"], 0)
        self.assertGreater(document["variants"]["spmv"]["cpu"]["csr"], 0)
        self.assert_valid(document, "info", devices=[], databases=[{}])

    def test_info_of_what_is_named(self):
        none = self.folder / "none"
        document = json.loads(self.expect(0, "info", "--threads", 1, "--mkl", none, "--db", none, "--json", "-").stdout)
        self.assertEqual(document["devices"][0]["threads"], 1)
        self.assertIn(f"tried {none}", document["backends"]["mkl"])
        self.assertEqual([(place["path"], place["state"]) for place in document["databases"]],
                         [(str(none), "nothing there")])
        self.assertRegex(document["version"], r"^\d+\.\d+\.\d+$")

    def test_info_counts_each_format_once(self):
        text = self.expect(0, "info").stdout
        counts = json.loads(self.expect(0, "info", "--json", "-").stdout)["variants"]
        for op, title in (("spmv", "SpMV"), ("spgemm", "SpGEMM")):
            table = text.split(f"{title} kernels, CPU, f64\n")[1].split("\n\n")[0].splitlines()[1:]
            *rows, (_, total) = [line.split() for line in table]
            self.assertEqual({name: int(kernels) for name, kernels in rows}, counts[op]["cpu"])
            self.assertEqual(len(rows), len(counts[op]["cpu"]), rows)
            self.assertEqual(int(total), sum(counts[op]["cpu"].values()))

    def test_info_lists_kernels(self):
        ids = self.expect(0, "info", "--kernels", "*").stdout.splitlines()
        self.assertEqual(len(ids), len(set(ids)))
        for kernel in ("spmv.cpu.csr.static.x32.l1.u1.wn.f64.i32", "spmv.cpu.csr.static.x32.l1.u1.wn.f32.i64",
                       "spgemm.cpu.csr.hash.p1.d16.f64.i32"):
            self.assertIn(kernel, ids)
        counts = json.loads(self.expect(0, "info", "--json", "-").stdout)["variants"]
        for op in ("spmv", "spgemm"):
            some = [kernel for kernel in ids if kernel.startswith(op + ".cpu.") and kernel.endswith(".f64.i32")]
            listed = self.expect(0, "info", "--kernels", op + ".cpu.*.f64.i32").stdout
            self.assertEqual(listed.splitlines(), some)
            self.assertEqual(len(some), sum(counts[op]["cpu"].values()))
        document = json.loads(self.expect(0, "info", "--kernels", "*.hash.*,*.esc.*", "--json", "-").stdout)
        self.assertEqual(document["kernels"], [kernel for kernel in ids if ".hash." in kernel or ".esc." in kernel])
        self.assert_valid(document, "info", kernels=[])
        done = self.expect(2, "info", "--kernels", "*.sel.*")
        self.assertIn('no kernel of this build matches "*.sel.*"', done.stderr)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    main()
