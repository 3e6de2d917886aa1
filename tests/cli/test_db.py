"""`sptune db` on a database of random entries, which the program in the second argument writes."""

import csv
import datetime
import io
import json
import os
import shutil
import subprocess
import sys

import harness


class Db(harness.CliTest):
    write_documents = None

    def setUp(self):
        super().setUp()
        subprocess.run([self.write_documents, self.folder], check=True)
        self.db = self.folder / "db"
        self.files = sorted(self.db.glob("*/*.json"))
        del self.environment["SPTUNE_DB"]
        self.environment["XDG_DATA_HOME"] = str(self.folder / "default")

    def sptune_db(self, *words, code=0):
        return self.expect(code, "db", *words)

    def test_list(self):
        listed = json.loads(self.sptune_db("list", "--db", self.db, "--json", "-").stdout)
        self.assertEqual([e["file"] for e in listed["entries"]], [str(f) for f in self.files])
        self.assert_valid(listed, "list", entries=[{}])
        again = self.sptune_db("list", "--db", self.db, "--format", "json").stdout
        self.assertEqual(json.loads(again), listed)
        table = self.sptune_db("list", "--db", self.db).stdout
        self.assertIn("winner", table)
        for entry, file in zip(listed["entries"], self.files):
            self.assertIn(entry["device_key"], table)
            matrix = json.loads(file.read_text("utf-8"))["matrix"]
            self.assertEqual([entry[size] for size in ("rows", "cols", "nnz")],
                             [matrix[size] for size in ("rows", "cols", "nnz")])
            print_ = entry["fingerprint"]
            self.assertEqual(entry["key"], "-".join([*(entry[part] for part in ("op", "precision", "index", "cache")), print_]))
            (line,) = (line for line in table.splitlines() if f" {print_[:8]} " in line)
            self.assertIn(f" {entry['key'][:-17]} ", line)

    def test_list_tells_entries_of_a_matrix_apart(self):
        matrix, db = self.matrix("first.mtx"), self.folder / "own"
        globs = ("--variants", "*.csr.static.x32.*")
        self.expect(0, "profile", matrix, "--db", db, "--threads", 1, *globs)
        self.expect(0, "profile", matrix, "--db", db, "--threads", 1, "--cache", "cold", *globs)
        self.expect(0, "profile", matrix, "--db", db, "--threads", 1, "--precision", "f32")
        table = self.sptune_db("list", "--db", db).stdout
        listed = json.loads(self.sptune_db("list", "--db", db, "--json", "-").stdout)["entries"]
        self.assertEqual([(e["precision"], e["cache"], e["threads"], e["variants"]) for e in listed],
                         [("f32", "warm", 1, None), ("f64", "cold", 1, globs[1]), ("f64", "warm", 1, globs[1])])
        for what, complete in (("spmv-f32-i32-warm", "yes"), ("spmv-f64-i32-cold", "a part"), ("spmv-f64-i32-warm", "a part")):
            (line,) = (line for line in table.splitlines() if what in line)
            self.assertIn(f" {complete} ", line)

    def test_list_as_csv(self):
        listed = json.loads(self.sptune_db("list", "--db", self.db, "--json", "-").stdout)["entries"]
        text = self.sptune_db("list", "--db", self.db, "--format", "csv").stdout
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        self.assertEqual(len(rows), len(listed))
        for row, entry in zip(rows, listed):
            for name in ("op", "precision", "index", "cache", "threads", "key"):
                self.assertEqual(row[name], str(entry[name]))
            self.assertEqual(row["variants"].split(), (entry["variants"] or "").split())
            for name in ("matrix", "device_key", "created_utc"):
                self.assertEqual(row[name].split(), entry[name].split())  # the pipe turns "\r" into "\n"
            self.assertEqual(row["winner"], entry["winner"] or "")
            self.assertEqual(int(row["nnz"]), entry["nnz"])
            self.assertEqual(row["complete"], str(entry["complete"]).lower())
            self.assertTrue(entry["key"].endswith("-" + row["fingerprint"]))
            if entry["winner"]:
                self.assertEqual(float(row["speedup_vs_baseline"]), entry["speedup_vs_baseline"])
        self.assertEqual(self.sptune_db("list", "--format", "csv").stdout, text.splitlines()[0] + "\n")
        for other in ("t4", "header"):
            done = self.sptune_db("list", "--format", other, code=2)
            self.assertIn(f"`sptune db export --format {other}`", done.stderr)
        self.assertIn("expected table, json, csv", self.sptune_db("list", "--format", "xml", code=2).stderr)

    def test_an_empty_database_is_no_error_but_a_named_one_must_exist(self):
        done = self.sptune_db("list")
        self.assertEqual(done.stdout, "")
        self.assertIn("sptune profile", done.stderr)
        self.assertIn(str(self.folder / "default"), done.stderr)
        empty = json.loads(self.sptune_db("list", "--json", "-").stdout)
        self.assertEqual(empty["entries"], [])
        for command in ("list", "check", "export", "prune"):
            self.sptune_db(command)
            self.sptune_db(command, "--db", self.folder / "nowhere", code=3)
        self.assertFalse((self.folder / "nowhere").exists())
        nowhere = self.environment["SPTUNE_DB"] = str(self.folder / "nowhere")
        for command in (("list",), ("check",), ("export",), ("prune",), ("show", "nobody")):
            told = self.sptune_db(*command, code=3).stderr
            self.assertIn(f"{nowhere}: there is no such database, which $SPTUNE_DB names; begin it with", told)

    def test_show(self):
        stored = json.loads(self.files[0].read_text("utf-8"))
        del stored["checksum"]  # of the file
        key = f"{self.files[0].parent.name}/{self.files[0].stem}"
        fingerprint = stored["matrix"]["fingerprint"]
        for word in (self.files[0], key, self.files[0].stem, fingerprint, fingerprint[:8]):
            shown = self.sptune_db("show", word, "--db", self.db, "--json", "-").stdout
            self.assertEqual(json.loads(shown), stored)
        self.assertEqual(self.sptune_db("show", key, "--db", self.db, "--format", "json").stdout, shown)
        text = self.sptune_db("show", key, "--db", self.db).stdout
        self.assertIn(key, text)
        self.assertEqual(self.sptune_db("show", key, "--db", self.db, "--format", "table").stdout, text)
        for other in ("csv", "t4", "header"):
            done = self.sptune_db("show", key, "--db", self.db, "--format", other, code=2)
            self.assertIn("expected table, json, not", done.stderr)
            self.assertIn(f"`sptune db export --format {other}`", done.stderr)
        self.sptune_db("show", fingerprint[:7], "--db", self.db, code=3)  # too little to be sure
        missing = self.sptune_db("show", "nobody", "--db", self.db, code=3)
        self.assertIn("nobody", missing.stderr)
        twin = self.db / "twin" / self.files[0].name
        twin.parent.mkdir()
        stored["device"]["key"] = "twin"
        twin.write_text(json.dumps(stored), "utf-8")
        ambiguous = self.sptune_db("show", self.files[0].stem, "--db", self.db, code=2)
        self.assertIn(f"twin/{twin.stem}", ambiguous.stderr)
        one = self.sptune_db("show", self.files[0].stem, "twin", "--db", self.db, "--json", "-").stdout
        self.assertEqual(json.loads(one)["device"]["key"], "twin")
        self.assertIn(f"as in `sptune db show {self.files[0].stem} ", ambiguous.stderr)
        word = ambiguous.stderr.split(f"`sptune db show {self.files[0].stem} ")[1].split("`")[0]
        self.sptune_db("show", self.files[0].stem, word, "--db", self.db)
        for words in (("twins",), ("twin", "twins")):
            missing = self.sptune_db("show", self.files[0].stem, *words, "--db", self.db, code=3)
            self.assertIn("has no entry", missing.stderr)

    def test_show_finds_a_matrix_file_by_its_pattern(self):
        matrix, db = self.matrix("first.mtx"), self.folder / "own"
        self.expect(0, "profile", matrix, "--db", db, "--variants", "*.csr.static.x32.*")
        other = self.folder / "renamed.mtx"
        shutil.copy(matrix, other)
        shown = self.sptune_db("show", other, "--db", db, "--json", "-").stdout
        self.assertEqual(json.loads(shown)["matrix"]["name"], "first")
        bare = self.folder / "without_ending"
        shutil.copy(matrix, bare)
        self.assertIn("first", self.sptune_db("show", bare, "--db", db).stdout)
        missing = self.sptune_db("show", self.matrix("larger.mtx", 900), "--db", db, code=3)
        self.assertIn("has no entry", missing.stderr)
        # Its product has a fingerprint of its own.
        self.expect(0, "profile", matrix, "--op", "spgemm", "--db", db, "--variants", "*.csr.hash.*")
        shown = self.sptune_db("show", bare, "spgemm", "--db", db, "--json", "-").stdout
        self.assertEqual(json.loads(shown)["op"], "spgemm")
        both = self.sptune_db("show", bare, "--db", db, code=2).stderr
        self.assertIn(f"names 2 entries; name one of these, or add a word that only one of them has, as in `sptune db "
                      f"show {bare} spgemm`", both)
        wide = self.write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 2\n2 3 1\n")
        self.expect(0, "profile", wide, "--op", "spgemm", "--db", db, "--variants", "*.csr.hash.*")
        self.assertIn("wide", self.sptune_db("show", wide, "--db", db).stdout)

    def test_show_does_without_what_an_entry_does_not_say(self):
        entry = json.loads(self.files[0].read_text("utf-8"))
        for compiler, words in (("GCC 12", "0.1.0 (GCC 12) in "), ("", "0.1.0 in ")):
            entry["provenance"].update(compiler=compiler, sptune_version="0.1.0")
            self.assertIn(words, self.sptune_db("show", self.write("entry.json", json.dumps(entry))).stdout)

    def test_show_says_how_long_the_sweep_took_and_whether_it_is_complete(self):
        entry = json.loads(self.files[0].read_text("utf-8"))
        entry["provenance"]["sweep_s"] = 12.5
        for complete, words in ((True, " in 12.5 s.\n"), (False, " in 12.5 s; the sweep is not complete.\n")):
            entry["complete"] = complete
            self.assertIn(words, self.sptune_db("show", self.write("entry.json", json.dumps(entry))).stdout)

    def test_list_marks_times_of_busy_cores(self):
        entry = next(e for f in self.files if (e := json.loads(f.read_text("utf-8")))["winner"])
        for busy in (False, True):
            entry["provenance"]["cores_busy"] = entry["provenance"]["one_value"] = busy
            file = self.write("entry.json", json.dumps({"schema": "sptune.export/1", "entries": [entry]}))
            table = self.sptune_db("list", "--db", file).stdout
            self.assertEqual("×*" in table, busy)
            self.assertEqual("*: a core was busy" in table, busy)
            listed = json.loads(self.sptune_db("list", "--db", file, "--json", "-").stdout)["entries"]
            self.assertEqual([e["cores_busy"] for e in listed], [busy])
            self.assertEqual([e["one_value"] for e in listed], [busy])
            rows = list(csv.DictReader(io.StringIO(self.sptune_db("list", "--db", file, "--format", "csv").stdout)))
            self.assertEqual([row["cores_busy"] for row in rows], [str(busy).lower()])
            self.assertEqual([row["one_value"] for row in rows], [str(busy).lower()])

    def test_show_prints_no_escapes_of_others(self):
        entry = json.loads(self.files[0].read_text("utf-8"))
        entry["matrix"]["name"] = "a\x1b[2Jb\nc"
        entry["device"]["name"] = entry["device"]["simd"] = "d\x1be"
        entry["provenance"].update(compiler="f\x1bg", sptune_version="h\x1bi")
        for candidate in entry["candidates"]:
            candidate["reason"] = candidate["reason"] and "j\x1bk"
        shown = self.sptune_db("show", self.write("entry.json", json.dumps(entry))).stdout
        self.assertNotIn("\x1b", shown)
        for text in ("a?[2Jb?c", "d?e", "f?g", "h?i"):
            self.assertIn(text, shown)

    def test_a_hostile_document_is_refused_at_once(self):
        members = ",".join(f'"{i}":0' for i in range(500_000))
        self.write("hostile.json", f'{{"schema":"sptune.export/1","entries":[{{{members}}}]}}')
        self.assertIn("more than 256 members", self.sptune_db("check", "--db", "hostile.json", code=3).stderr)

    def test_export_and_import(self):
        out = self.folder / "all.json"
        self.sptune_db("export", "--db", self.db, "-o", out)
        document = json.loads(out.read_text("utf-8"))
        self.assertEqual(document["schema"], "sptune.export/1")
        self.assertEqual(len(document["entries"]), len(self.files))
        printed = json.loads(self.sptune_db("export", "--db", self.db).stdout)
        self.assertEqual(printed["entries"], document["entries"])
        self.sptune_db("check", "--db", out)
        first = self.sptune_db("import", out, "--db", self.folder / "copy").stdout
        self.assertIn(f"{len(self.files)} taken, 0 replaced, 0 kept, 0 refused", first)
        second = self.sptune_db("import", out, "--db", self.folder / "copy").stdout
        self.assertIn(f"0 taken, 0 replaced, {len(self.files)} kept", second)
        for file in self.files:
            copy = self.folder / "copy" / file.relative_to(self.db)
            self.assertEqual(copy.read_text("utf-8"), file.read_text("utf-8"))
        refused = self.sptune_db("import", out, "--db", out, code=1)
        self.assertIn("read-only", refused.stderr)

    def test_export_csv(self):
        text = self.sptune_db("export", "--db", self.db, "--format", "csv").stdout
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        entries = [json.loads(file.read_text("utf-8")) for file in self.files]
        self.assertEqual(len(rows), sum(len(e["candidates"]) for e in entries))
        first = entries[0]
        self.assertEqual(rows[0]["matrix_fingerprint"], first["matrix"]["fingerprint"])
        self.assertEqual(rows[0]["candidate_id"], first["candidates"][0]["id"])
        self.assertEqual(float(rows[0]["features_row_cv"]), first["features"]["row_cv"])

    def test_export_t4(self):
        out = self.folder / "t4.json"
        self.sptune_db("export", "--db", self.db, "--format", "t4", "-o", out)
        document = json.loads(out.read_text("utf-8"))
        self.assertEqual(document["schema_version"], "1.0.0")
        entries = [json.loads(file.read_text("utf-8")) for file in self.files]
        run = [c for e in entries for c in e["candidates"] if c["status"] not in ("bounded", "not_reached")]
        self.assertEqual(len(document["results"]), len(run))
        names = {"ok": "correct", "illegal": "constraints", "incorrect": "correctness", "timeout": "timeout",
                 "crashed": "runtime", "out_of_memory": "runtime"}
        for result, candidate in zip(document["results"], run):
            self.assertEqual(result["configuration"]["id"], candidate["id"])
            self.assertEqual(result["invalidity"], names[candidate["status"]])
            self.assertEqual(result["correctness"], int(candidate["status"] == "ok"))
            if candidate["status"] == "ok":
                samples = candidate["time_us"]["samples"]
                self.assertEqual(len(result["times"]["runtimes"]), len(samples))
                for ms, us in zip(result["times"]["runtimes"], samples):
                    self.assertAlmostEqual(1e3 * ms / us, 1)
        self.assertIn("metadata", self.sptune_db("export", "--db", self.db, "--format", "t4").stderr)
        metadata = json.loads((self.folder / "t4-metadata.json").read_text("utf-8"))
        self.assertEqual(metadata["schema_version"], "1.0.0")
        keys = {device["key"] for device in metadata["metadata"]["hardware"]["hardware_description"]}
        self.assertEqual(keys, {e["device"]["key"] for e in entries})

    def test_export_header_compiles_and_finds_the_winner(self):
        entries = [json.loads(file.read_text("utf-8")) for file in self.files]
        at = next(i for i, e in enumerate(entries) if e["winner"])
        entry = entries[at]
        entry["matrix"]["name"] = 'a"b\\c??/\x01é'
        self.files[at].write_text(json.dumps(entry), "utf-8")
        header = self.folder / "winners.hpp"
        self.sptune_db("export", "--db", self.db, "--format", "header", "-o", header)
        program = self.folder / "use.cpp"
        program.write_text(f"""
#include "winners.hpp"
constexpr auto* w = sptune_winners::find("{entry["device"]["key"]}", 0x{entry["matrix"]["fingerprint"]}u,
                                         "{entry["op"]}", "{entry["precision"]}", "{entry["index"]}", "{entry["cache"]}");
static_assert(w->id == "{entry["winner"]}");
static_assert(!sptune_winners::find("another device", 0x{entry["matrix"]["fingerprint"]}u));
""")
        compiler = shutil.which("c++") or self.skipTest("no C++ compiler")
        done = subprocess.run([compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", program],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_export_goes_by_the_ending_unless_told(self):
        for name, options, format_, begin in (("a.csv", (), "csv", "matrix_name,"), ("a.hpp", (), "header", "//"),
                                              ("a.dat", (), "json", "{"), ("b.csv", ("--format", "json"), "json", "{")):
            done = self.sptune_db("export", "--db", self.db, "-o", self.folder / name, *options)
            self.assertTrue((self.folder / name).read_text("utf-8").startswith(begin), name)
            self.assertIn(f"wrote {self.folder / name} as {format_}\n", done.stderr)
        self.assertNotIn("wrote", self.sptune_db("export", "--db", self.db).stderr)

    def test_export_refuses_unknown_formats(self):
        done = self.sptune_db("export", "--db", self.db, "--format", "xml", code=2)
        self.assertIn("t4", done.stderr)
        self.assertIn("See `sptune db export --help`.", done.stderr)

    def test_import_refuses_what_is_no_export(self):
        for name, text in {"a.csv": "a,b\n", "b.json": "{}", "c.json": "[" * 100000}.items():
            (self.folder / name).write_text(text)
            done = self.sptune_db("import", self.folder / name, code=3)
            self.assertIn(name, done.stderr)
        self.sptune_db("import", self.folder / "missing.json", code=3)

    def test_merge(self):
        corrupt = self.folder / "other" / "device" / "spmv-f64-i32-warm-00000000000000c0.json"
        corrupt.parent.mkdir(parents=True)
        corrupt.write_text("garbage")
        into = self.folder / "all"
        done = self.sptune_db("merge", self.db, self.folder / "other", "--into", into, code=3)
        self.assertIn(f"{len(self.files)} taken, 0 replaced, 0 kept, 1 refused", done.stdout)
        self.assertIn(str(corrupt), done.stderr)
        self.assertEqual(len(list(into.glob("*/*.json"))), len(self.files))
        self.sptune_db("merge", self.db, self.folder / "nowhere", "--into", into, code=3)

    def test_the_folder_of_a_device_is_no_database(self):
        device = self.files[0].parent
        for words in (("list",), ("check",)):
            self.assertIn(f"the database is {self.db}\n", self.sptune_db(*words, "--db", f"{device}/").stderr)
        done = self.sptune_db("import", device, "--db", self.folder / "copy")
        self.assertIn("0 taken", done.stdout)
        self.assertIn(f"the database is {self.db}\n", done.stderr)
        self.assertNotIn("the database is", self.sptune_db("list", "--db", self.db).stderr)

    def test_check_and_prune(self):
        done = self.sptune_db("check", "--db", self.db)
        self.assertIn(f"{len(self.files)} valid, 0 not", done.stdout)
        victim = self.files[3]
        victim.write_text(victim.read_text("utf-8")[:200], "utf-8")
        done = self.sptune_db("check", "--db", self.db, code=1)
        self.assertIn(str(victim), done.stdout)
        for words in (("--json", "-"), ("--format", "json")):
            told = json.loads(self.sptune_db("check", "--db", self.db, *words, code=1).stdout)
            self.assert_valid(told, "check", valid=-1, faults={})
            self.assertEqual((told["valid"], [f["file"] for f in told["faults"]]), (len(self.files) - 1, [str(victim)]))
            self.assertIn(told["faults"][0]["reason"], done.stdout)
        arguments = ("prune", "--days", "36500", "--db", self.db)
        self.assertEqual(self.sptune_db(*arguments, "--dry-run").stdout, f"{victim}\n")
        self.assertTrue(victim.exists())
        self.assertEqual(self.sptune_db(*arguments).stdout, f"{victim}\n")
        self.assertFalse(victim.exists())
        self.sptune_db("check", "--db", self.db)

    def test_incomplete_entries_go_after_thirty_days_or_as_many_as_are_named(self):
        now = datetime.datetime.now(datetime.timezone.utc)
        for file, days in zip(self.files, (20, 40)):
            entry = json.loads(file.read_text("utf-8"))
            entry["complete"] = False
            entry["provenance"]["created_utc"] = (now - datetime.timedelta(days)).strftime("%Y-%m-%dT%H:%M:%SZ")
            file.write_text(json.dumps(entry), "utf-8")
        recent, old = map(str, self.files[:2])
        for days, gone in (((), {old}), (("--days", 10), {recent, old}), (("--days", 50), set())):
            listed = self.sptune_db("prune", "--dry-run", *days, "--db", self.db).stdout.splitlines()
            self.assertEqual({recent, old} & set(listed), gone, days)

    def test_what_lies_in_a_wrong_place_is_moved_and_not_called_removed(self):
        right, twin = self.files[0], self.files[1]
        wrong = self.db / "renamed" / right.name
        wrong.parent.mkdir()
        right.rename(wrong)
        told = self.sptune_db("check", "--db", self.db, code=1).stdout
        self.assertIn(f"belongs at {right.relative_to(self.db)}; `sptune db prune` moves it there", told)
        shutil.copy(twin, wrong.with_name(twin.name))  # where there is one, it goes
        arguments = ("prune", "--days", "36500", "--db", self.db)
        for more, words in (("--dry-run",), "1 would be removed, 1 moved"), ((), "1 removed, 1 moved"):
            done = self.sptune_db(*arguments, *more)
            self.assertEqual(done.stdout, f"{wrong.with_name(twin.name)}\n{wrong} -> {right}\n")
            self.assertIn(words, done.stderr)
        self.assertIn(f"{len(self.files)} valid, 0 not", self.sptune_db("check", "--db", self.db).stdout)

    def test_a_broken_entry_is_told_of_alike_everywhere(self):
        matrix, db = self.matrix(), self.folder / "own"
        self.expect(0, "profile", matrix, "--db", db, "--variants", "*.csr.static.x32.*")
        (file,) = db.glob("*/*.json")
        file.write_text(file.read_text("utf-8")[:2000], "utf-8")
        listed = self.sptune_db("list", "--db", db).stderr
        self.assertIn("holds no valid entry", listed)
        for told in (listed, self.sptune_db("check", "--db", db, code=1).stdout,
                     self.expect(0, "select", matrix, "--db", db).stderr):
            self.assertIn("is not JSON: parse error", told)
            self.assertIn("sptune db prune", told)

    def test_files_of_others_are_left_alone(self):
        foreign = self.db / "sub" / "settings.json"
        foreign.parent.mkdir()
        foreign.write_text('{"a":1}')
        for command in ("check", "prune"):
            done = self.sptune_db(command, "--db", self.db)
            self.assertIn(f"{foreign}: ignored: is no entry of sptune's", done.stderr)
            self.assertNotIn(str(foreign), done.stdout)
        self.assertTrue(foreign.exists())

    def test_what_is_no_json_is_a_fault_whatever_its_name(self):
        broken = self.files[0].with_name("copy.json")
        broken.write_text('{"a":')
        told = self.sptune_db("check", "--db", self.db, code=1).stdout
        self.assertIn(f"{broken}: is not JSON, and not named as an entry", told)
        self.assertIn("left alone, remove it by hand", told)
        self.assertIn(f"{len(self.files)} valid, 1 not", told)
        self.assertIn(f"{broken}: ignored: is not JSON", self.sptune_db("prune", "--db", self.db).stderr)
        self.assertTrue(broken.exists())
        broken.unlink()
        self.sptune_db("check", "--db", self.db)

    def test_help_and_usage(self):
        commands = ("list", "show", "export", "import", "merge", "check", "prune")
        overview = self.sptune_db("--help").stdout
        for command in commands:
            self.assertIn(command, overview)
            self.assertIn("sptune db " + command, self.sptune_db(command, "--help").stdout)
        self.sptune_db(code=2)
        self.assertIn("list", self.sptune_db("lsit", code=2).stderr)
        self.sptune_db("show", code=2)


if __name__ == "__main__":
    Db.write_documents = os.path.abspath(sys.argv.pop(2))
    harness.main()
