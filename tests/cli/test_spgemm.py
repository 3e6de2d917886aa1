"""`sptune spgemm` and `sptune profile --op spgemm`: products, refusals, documents, the database."""
import json

from harness import CliTest, main

HEAD = "%%MatrixMarket matrix coordinate real general\n"
A = "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 2\n1 3 1\n2 2 -1\n"
B = "%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 1\n3 1 -2\n2 2 5\n"


class Spgemm(CliTest):
    def entries(self, path):
        """{(row, column): value} of a Matrix Market file."""
        lines = [line for line in (self.folder / path).read_text().splitlines() if line[0] != "%"]
        cells = [line.split() for line in lines[1:]]
        return {(int(i), int(j)): float(v) for i, j, v in cells}

    def test_product(self):
        self.write("a.mtx", A), self.write("b.mtx", B)
        done = self.expect(0, "spgemm", "a.mtx", "b.mtx", "-o", "c.mtx")
        self.assertIn("2 × 2 with 2 nonzeros, from 3 products", done.stdout)
        # (1,1) cancels: 2·1 + 1·(-2); its position exists all the same.
        self.assertEqual(self.entries("c.mtx"), {(1, 1): 0, (2, 2): -5})

    def test_one_is_singular(self):
        self.write("one.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n")
        done = self.expect(0, "spgemm", "one.mtx", "-o", "c.mtx")
        self.assertIn("with 1 nonzero, from 1 product (", done.stdout)
        self.assertIn("1 × 1, 1 nonzero, ", done.stderr)

    def test_zeros_can_be_dropped(self):
        self.write("a.mtx", A), self.write("b.mtx", B)
        self.expect(0, "spgemm", "a.mtx", "b.mtx", "--drop-zeros", "-o", "c.mtx")
        self.assertEqual(self.entries("c.mtx"), {(2, 2): -5})

    def test_every_kernel_and_the_same_result(self):
        path = self.matrix()
        self.expect(0, "spgemm", path, "-o", "first.mtx")
        first = self.entries("first.mtx")
        # The 13-point stencil on 20 × 20 points: (0,0), (±1,0), (0,±1), (±2,0), (0,±2), (±1,±1).
        self.assertEqual(len(first), 20 * 20 + 4 * 20 * 19 + 4 * 20 * 18 + 4 * 19 * 19)
        for variant in ("csr.hash.p1.d16", "csr.esc.p2.d1", "csr.bitmap.p1.d1", "csr.gustavson.p2.d16",
                        "bsr.rowwise.m2.s1.o1.p1.d16",
                        "bsr.rowwise.m32.s1.o2.p1.d16"):  # nearly empty blocks: used if asked for alone
            with self.subTest(variant):
                self.expect(0, "spgemm", path, "--backend", "cpu", "--unsorted", "--variant",
                            f"spgemm.cpu.{variant}.f64.i32", "-o", "other.mtx")
                self.assertEqual(self.entries("other.mtx"), first)

    def test_what_cannot_be_written_is_refused_before_the_work(self):
        path = self.matrix()
        for target in (("-o", "none/c.mtx"), ("--json", "none/c.json"), ("-o", "c.mtx", "--json", "none/c.json")):
            done = self.expect(1, "spgemm", path, *target)
            self.assertIn("there is no folder", done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertIn("rising columns", self.expect(2, "spgemm", path, "--unsorted", "-o", "c.spt").stderr)

    def test_document(self):
        path = self.matrix()
        document = json.loads(self.expect(0, "spgemm", path, "--json", "-", "--precision", "f32").stdout)
        self.assertEqual(document["schema"], "sptune.spgemm/1")
        self.assert_valid(document, "spgemm", precision="u32", c={})
        self.assertEqual((document["a"]["nnz"], document["b"]["nnz"]), (1920, 1920))
        self.assertEqual(document["precision"], "f32")
        self.assertGreater(document["products"], document["c"]["nnz"])
        self.assertGreater(document["time_us"], 0)
        self.assertFalse(document["b_transposed"])
        self.write("a.mtx", A)
        document = json.loads(self.expect(0, "spgemm", "a.mtx", "--transpose-b", "--json", "-").stdout)
        self.assertTrue(document["b_transposed"])
        for name, size in (("a", (2, 3, 3)), ("b", (3, 2, 3)), ("c", (2, 2, 2))):
            self.assertEqual(tuple(document[name][part] for part in ("rows", "cols", "nnz")), size, name)
        self.assert_rates(document)
        self.assertEqual(document["compression"], document["products"] / 2)

    def assert_rates(self, document):
        """Two operations for each product."""
        self.assertAlmostEqual(document["gflops"] * document["time_us"] / (2e-3 * document["products"]), 1)

    def test_sizes_that_do_not_match_are_refused_with_a_remedy(self):
        self.write("a.mtx", A)
        for words in (("a.mtx",), ("a.mtx", "a.mtx")):
            done = self.expect(3, "spgemm", *words)
            for part in ("2 × 3", "--transpose-b"):
                self.assertIn(part, done.stderr)
        self.expect(0, "spgemm", "a.mtx", "--transpose-b", "-o", "c.mtx")
        self.assertEqual(self.entries("c.mtx"), {(1, 1): 5, (2, 2): 1})
        self.write("d.mtx", "%%MatrixMarket matrix coordinate real general\n5 5 1\n1 1 1\n")
        done = self.expect(3, "spgemm", "a.mtx", "d.mtx")
        self.assertIn("5 × 5", done.stderr)
        self.assertNotIn("--transpose-b", done.stderr)

    def test_usage(self):
        self.write("b.mtx", B)
        done = self.expect(2, "spgemm", self.matrix(), "--backend", "cpu", "--variant", "x")
        self.assertIn("spgemm.cpu", done.stderr)
        self.expect(2, "spgemm", "b.mtx", "-o", "c.txt")
        self.expect(2, "spgemm")
        self.assertIn("there is no such database", self.expect(3, "spgemm", "b.mtx", "--db", "typo").stderr)

    def test_blocks(self):
        path = self.matrix("a.mtx", 25)  # 25 × 25: blocks of 4 stick out
        self.expect(0, "spgemm", path, "--backend", "cpu", "-o", "c.mtx")
        plain = {at: v for at, v in self.entries("c.mtx").items() if v}
        self.expect(0, "convert", path, "a.bsm", "--blocks", 4)
        self.expect(0, "convert", "a.bsm", "back.mtx")
        self.assertEqual(self.entries("back.mtx"), self.entries(path))
        for search in ("rowwise", "two-pointers", "binary"):
            for words in (("a.bsm",), ("a.bsm", path), (path, "--blocks", 4)):
                self.expect(0, "spgemm", *words, "--backend", "cpu", "--search", search, "-o", "b.mtx")
                self.assertEqual(self.entries("b.mtx"), plain)
        done = self.expect(0, "spgemm", "a.bsm", "--backend", "cpu", "-o", "c.bsm", "--json", "-")
        document = json.loads(done.stdout)
        self.assertEqual((document["m"], document["precision"]), (4, "f64"))
        self.assert_valid(document, "spgemm-blocks", m=5)
        self.assert_rates(document)
        self.assertEqual(document["c"]["blocks"],
                         int((self.folder / "c.bsm").read_text().split()[4]))
        self.expect(0, "convert", "c.bsm", "again.mtx")
        self.assertEqual(self.entries("again.mtx"), plain)
        # Whatever takes a matrix takes blocks.
        self.assertIn("25 × 25", self.expect(0, "features", "a.bsm").stdout)

    def test_blocks_of_other_files(self):
        self.write("f.bsm", "%%BlockMatrix 2 1 1 1 f32\n1 1 1 2 3 4\n")
        self.write("d.bsm", "%%BlockMatrix 2 1 1 1 f64\n1 1 1 0 0 1e300\n")
        for files in (("f.bsm", "d.bsm"), ("d.bsm", "f.bsm")):  # the wider type holds both
            done = self.expect(0, "spgemm", *files, "--backend", "cpu", "--json", "-")
            self.assertEqual((json.loads(done.stdout)["precision"], done.stderr), ("f64", ""))
        done = self.expect(3, "spgemm", "f.bsm", "--blocks", 4)
        self.assertIn("has blocks of 2 × 2; expected 4 × 4", done.stderr)
        for number in ("1.5", "4294967296", "-1"):
            self.write("n.mtx", HEAD + f"2 2 1\n1 1 {number}\n")
            done = self.expect(3, "convert", "n.mtx", "n.bsm", "--blocks", 2, "--precision", "u32")
            self.assertIn("u32 takes whole numbers from 0 to 4294967295", done.stderr)

    def test_blocks_store_zeros_too(self):
        self.write("full.mtx", HEAD + "3 3 9\n" + "".join(f"{r} {c} 1\n" for r in (1, 2, 3) for c in (1, 2, 3)))
        for words in (("convert", "full.mtx", "full.bsm", "--blocks", 2), ("spgemm", "full.bsm", "-o", "c.bsm")):
            self.assertIn("3 × 3, 16 stored values, ", self.expect(0, *words).stderr)
        self.assertIn("3 × 3, 9 nonzeros, ", self.expect(0, "convert", "full.bsm", "again.mtx").stderr)

    def test_sums_that_are_not_finite_are_told_of(self):
        self.write("big.mtx", HEAD + "2 2 3\n1 1 1e30\n1 2 1e30\n2 2 1\n")
        cpu = ("--backend", "cpu")
        for words in ((), ("--blocks", 2)):
            told = self.expect(0, "spgemm", "big.mtx", *cpu, "--precision", "f32", *words).stderr
            self.assertIn("2 entries of C are not finite: f32 holds no such sums; use f64, or scale A and B", told)
            self.assertNotIn("finite", self.expect(0, "spgemm", "big.mtx", *cpu, *words).stderr)
        for output in ("c.mtx", "c.spt"):
            told = self.expect(1, "spgemm", "big.mtx", *cpu, "--precision", "f32", "-o", output).stderr
            self.assertIn(f"cannot write {output}: the value of row 1, column 1 is inf", told)
            self.assertIn("scale the matrix", told)

    def test_unsigned_sums_saturate(self):
        self.write("u.bsm", "%%BlockMatrix 2 1 1 1 u32\n1 1 65536 65535 1 2\n")
        self.expect(0, "spgemm", "u.bsm", "--backend", "cpu", "-o", "v.bsm")
        rows = [line for line in (self.folder / "v.bsm").read_text().splitlines() if line[0] != "%"]
        # 2³² + 65535 is cut off; 65536·65535 + 65535·2; 65536 + 2; 65535 + 4.
        self.assertEqual(rows[0].split(), ["1", "1", "4294967295", "4294967295", "65538", "65539"])
        self.write("n.mtx", A)
        done = self.expect(3, "spgemm", "n.mtx", "n.mtx", "--blocks", 2, "--precision", "u32")
        self.assertIn("-1", done.stderr)
        self.expect(3, "spgemm", "u.bsm", "--precision", "f64")
        for words in (("--drop-zeros",), ("--transpose-b",), ("--unsorted",),
                      ("--variant", "spgemm.cpu.csr.hash.p1.d16.f64.i32")):
            done = self.expect(2, "spgemm", "u.bsm", *words, "-o", "c.mtx")
            self.assertRegex(done.stderr, f"{words[0]} is for .*u.bsm, of u32, .*`sptune convert`")
        self.expect(0, "convert", "u.bsm", "u.mtx")
        self.expect(0, "spgemm", "u.mtx", "--drop-zeros", "-o", "c.mtx")

    def test_usage_of_blocks(self):
        path = self.matrix()
        self.expect(2, "spgemm", path, "-o", "c.bsm")
        self.expect(2, "spgemm", path, "--blocks", 3)
        self.expect(2, "spgemm", path, "--blocks", 4, "--transpose-b")
        self.expect(2, "spgemm", path, "--precision", "u32")
        for words in (("--db", self.folder), ("--validate", "warn"), ("--mkl", self.folder)):
            self.assertIn(words[0], self.expect(2, "spgemm", path, "--blocks", 4, *words).stderr)
        self.expect(2, "spgemm", path, "--blocks", 8, "--search", "tiles", "--backend", "cpu")
        self.assertIn("add --blocks", self.expect(2, "spgemm", path, "--search", "binary").stderr)
        self.expect(2, "convert", path, "c.bsm")
        for words in (("--blocks", 4), ("--precision", "u32")):
            self.assertIn("name the output .bsm", self.expect(2, "convert", path, "c.mtx", *words).stderr)
        for words in (("spgemm", "typo.bsm", "-o", "c.bsm"), ("convert", "typo.bsm", "c.bsm")):
            self.assertIn("No such file", self.expect(3, *words).stderr)
        self.write("bad.bsm", "%%BlockMatrix 2 1 1 1 f64\n1 1 1 2 x 4\n")
        self.assertIn("bad.bsm:2", self.expect(3, "spgemm", "bad.bsm").stderr)
        self.write("bad.bsm", "%%BlocMatrix 2 1 1 1 f64\n1 1 1 2 3 4\n")
        self.assertIn("bad.bsm:1: begins with neither %%BlockMatrix", self.expect(3, "spgemm", "bad.bsm").stderr)
        self.write("market.bsm", "%%matrixmarket matrix coordinate real general\n1 1 1\n1 1 2\n")
        self.expect(0, "features", "market.bsm")
        self.write("three.bsm", "%%BlockMatrix 3 1 1 1 f64\n1 1 1 2 3 4 5 6 7 8 9\n")
        self.assertIn("three.bsm:1: has blocks of 3 × 3", self.expect(3, "spgemm", "three.bsm").stderr)

    def test_a_variant_for_something_else_is_told_what_differs(self):
        path, cpu = self.matrix(), ("--backend", "cpu")
        for variant, words in (("spgemm.cpu.csr.hash.p1.d16.f32.i32", "is for f32 values; add --precision f32"),
                               ("spmv.cpu.csr.static.x32.l1.u1.wn.f64.i32", "multiplies by a vector"),
                               ("spgemm.cpu.csr.hash.p7.d16.f64.i32", "there is no kernel")):
            self.assertIn(words, self.expect(2, "spgemm", path, *cpu, "--variant", variant).stderr)
        devices = json.loads(self.expect(0, "info", "--json", "-").stdout)["devices"]
        has_gpu = any(device["backend"] == "cuda" for device in devices)
        done = self.expect(2 if has_gpu else 4, "spgemm", path, *cpu, "--variant", "spgemm.cuda.csr.hash.b128.f64.i32")
        self.assertIn("--backend cuda" if has_gpu else "no GPU", done.stderr)

    def test_a_profile_is_found_again(self):
        path = self.matrix()
        cpu = ("--backend", "cpu")
        done = self.expect(0, "profile", path, "--op", "spgemm", *cpu, "--variants", "*.hash.*", "--json", "-")
        document = json.loads(done.stdout)
        self.assertEqual(document["op"], "spgemm")
        self.assertEqual(document["product"]["a_entries"], 1920)
        self.assertTrue(document["winner"].startswith("spgemm.cpu."))
        for candidate in document["candidates"]:
            self.assertEqual(candidate["op"], "spgemm")
            self.assertEqual(candidate["status"], "ok", candidate["reason"])
        again = json.loads(self.expect(0, "spgemm", path, *cpu, "--json", "-").stdout)
        self.assertEqual((again["id"], again["source"]), (document["winner"], "database"))
        (self.folder / "other").mkdir()
        again = json.loads(self.expect(0, "spgemm", path, *cpu, "--db", "other", "--json", "-").stdout)
        self.assertEqual(again["source"], "model")
        # That it may not be the fastest of all is not kept from anybody.
        hint = ("the sweep of this product was stopped early or left kernels out, which "
                f"`sptune profile {path} --op spgemm` makes up for")
        self.assertIn(hint, self.expect(0, "spgemm", path, *cpu).stderr)
        self.assertNotIn(hint, self.expect(0, "spgemm", path, *cpu, "--variant", document["winner"]).stderr)
        (file,) = (self.folder / "db").glob("*/spgemm*.json")
        entry = json.loads(file.read_text())
        del entry["provenance"]["variants"], entry["checksum"]  # as if of a whole sweep
        for complete in (True, False):
            file.write_text(json.dumps({**entry, "complete": complete}))
            stderr = self.expect(0, "spgemm", path, *cpu).stderr
            (self.assertNotIn if complete else self.assertIn)(hint, stderr)
        # Another pair knows nothing of it.
        other = json.loads(self.expect(0, "spgemm", self.matrix("o.mtx", 900), *cpu, "--json", "-").stdout)
        self.assertEqual(other["source"], "model")
        self.expect(0, "db", "check")

    def test_off_asks_no_database(self):
        path = self.matrix()
        self.expect(0, "profile", path, "--op", "spgemm", "--backend", "cpu", "--variants", "*.hash.*")
        self.assertIn("(database)", self.expect(0, "spgemm", path, "--backend", "cpu").stdout)
        self.environment["SPTUNE_MODE"] = "off"
        self.assertIn("(default)", self.expect(0, "spgemm", path, "--backend", "cpu").stdout)

    def test_times_under_another_library_are_named_or_left_out(self):
        path = self.matrix()
        cpu = ("--backend", "cpu")
        self.expect(0, "profile", path, "--op", "spgemm", *cpu, "--variants", "*.hash.*")
        (file,) = (self.folder / "db").glob("*/spgemm*.json")
        entry = json.loads(file.read_text())
        winner = next(c for c in entry["candidates"] if c["id"] == entry["winner"])
        winner["vendor"], entry["provenance"]["vendor_library"] = True, "MKL 1"
        file.write_text(json.dumps(entry))
        done = self.expect(0, "spgemm", path, *cpu)
        self.assertIn("(database)", done.stdout)
        self.assertIn("measured with MKL 1, here ", done.stderr)
        self.assertNotIn("MKL 1", self.expect(0, "spgemm", path, *cpu, "--validate", "ignore").stderr)
        self.environment["SPTUNE_VALIDATE"] = "strict"
        done = self.expect(0, "spgemm", path, *cpu)
        self.assertIn("(model)", done.stdout)
        self.assertIn("are left out, as --validate asks", done.stderr)
        self.environment["SPTUNE_VALIDATE"] = "perhaps"
        self.assertIn("SPTUNE_VALIDATE", self.expect(2, "spgemm", path, *cpu).stderr)

    def test_report_of_a_rectangular_matrix(self):
        self.write("a.mtx", A)
        done = self.expect(0, "profile", "a.mtx", "--op", "spgemm", "--backend", "cpu", "--no-db",
                           "--variants", "*.esc.*")
        for words in ("C = A·Aᵀ", "Winner: spgemm.cpu.", "× plain"):
            self.assertIn(words, done.stdout)


if __name__ == "__main__":
    main()
