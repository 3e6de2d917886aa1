"""Kernels that crash, hang, exit or lose the device cost themselves and nothing else."""
import ctypes
import json
import os
import signal
import time
from pathlib import Path

from harness import main
from sweeps import FEW, VICTIM, SweepTest, at_work_on, is_alive


def keep_from_dying(pid):
    """A process that somebody else traces is not dead to its parent, however dead it is."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    PTRACE_SEIZE = 0x4206
    return libc.ptrace(PTRACE_SEIZE, pid, None, None) == 0


class Isolation(SweepTest):
    def crash_at_victim(self, process, meanwhile):
        """Ends a worker that hangs there, once `meanwhile` has happened."""
        worker = self.worker_of(process)
        at_work = lambda: VICTIM.encode() in at_work_on(process.pid)
        # It is named when it is inspected, too, for a moment and before anything has been timed.
        self.wait_for(lambda: at_work() and not time.sleep(0.3) and at_work())
        meanwhile()
        os.kill(worker, signal.SIGSEGV)

    def expect_one_failure(self, document, status, reason):
        failed = [c for c in document["candidates"] if c["status"] not in ("ok", "bounded")]
        self.assertEqual([(c["id"], c["status"]) for c in failed], [(VICTIM, status)])
        self.assertRegex(failed[0]["reason"], reason)
        self.assertTrue(document["complete"])
        times = {c["id"]: c["time_us"] for c in document["candidates"] if c["status"] == "ok"}
        self.assertGreater(len(times), 10)
        self.assertIn(document["baseline"], times)
        self.assertIn(document["winner"], times)

    def test_a_timeout_that_is_none_is_a_usage_error(self):
        for wrong in ("foo", "-1", "0", "5s", "nan"):
            self.environment["SPTUNE_CANDIDATE_TIMEOUT"] = wrong
            for command in ("profile", "compare"):
                self.assertIn(f'SPTUNE_CANDIDATE_TIMEOUT: expected seconds, more than 0, not "{wrong}"',
                              self.expect(2, command, self.path).stderr)
        self.environment["SPTUNE_CANDIDATE_TIMEOUT"] = ""
        self.profile()

    # Where the system counts what it kills for lack of memory, nothing else is put down to that.
    KILLED = (("crashed", r"was killed by signal 9 \(SIGKILL\) while it was converted")
              if "oom_kill " in Path("/proc/vmstat").read_text() else ("out_of_memory", "was killed"))

    def test_each_way_to_die(self):
        for fault, status, reason in (
                ("crash", "crashed", r"died of signal 11 \(SIGSEGV\) while it was converted"),
                ("crash:verified", "crashed", "while it was verified"),
                ("crash:timed again", "crashed", "while it was timed again"),
                ("crash:inspected", "crashed", "while it was inspected"),
                ("exit", "crashed", "ended with exit code 0"),
                ("lost", "crashed", "illegal memory access.*the device was lost"),
                ("kill", *self.KILLED)):
            with self.subTest(fault):
                self.fault(f"{VICTIM}:{fault}")
                document, errors = self.profile("--fresh")
                self.expect_one_failure(document, status, reason)
                self.assertEqual(len(errors), 1, errors)
                self.assertIn(VICTIM, errors[0])
                (entry,) = self.entries()
                self.assertEqual(entry["candidates"], document["candidates"])
                self.assertTrue(entry["complete"])

    def test_a_wrong_kernel_never_wins_and_is_told_of(self):
        self.fault(f"{VICTIM}:wrong")
        document, errors = self.profile(code=5)
        self.expect_one_failure(document, "incorrect", "as .SPTUNE_FAULT asks")
        self.assertNotEqual(document["winner"], VICTIM)
        self.assertEqual(errors, [f"sptune: small: {VICTIM} is wrong: as $SPTUNE_FAULT asks"])
        self.assertIn(f"{VICTIM} is wrong", self.expect(5, "compare", self.path, "--threads", 1, "--no-db").stderr)
        self.write("bad.mtx", "hello\n")
        for paths, code in ((("bad.mtx", self.path), 3), ((self.path, "bad.mtx"), 5)):  # the first failure's
            self.expect(code, "profile", *paths, *FEW)
        # What was found wrong stays so until its code is another.
        del self.environment["SPTUNE_FAULT"]
        self.assertIn(f"{VICTIM} is wrong", self.profile("--resume", code=5)[1][0])

    def test_a_hang_is_ended(self):
        self.fault(f"{VICTIM}:hang", timeout=0.5)
        self.expect_one_failure(self.profile()[0], "timeout", "did not come back within .* s")

    def test_a_worker_that_does_not_die_is_left_behind(self):
        self.fault(f"{VICTIM}:hang", timeout=1)
        process = self.start("profile", self.path, *FEW, "--json", "-")
        worker = self.worker_of(process)
        if not keep_from_dying(worker):
            process.kill()
            self.skipTest("this system does not let us trace processes")
        out, errors = process.communicate(timeout=60)
        self.assertEqual(os.waitpid(worker, 0)[1], signal.SIGKILL)
        self.assertEqual(process.returncode, 0, errors)
        self.assertIn(f"process {worker} was killed since it hung, but does not die", errors)
        self.expect_one_failure(json.loads(out), "timeout", "did not come back within .* s")

    def test_without_a_database(self):
        self.fault(f"{VICTIM}:crash")
        self.expect_one_failure(self.profile("--no-db")[0], "crashed", "SIGSEGV")
        self.assertFalse((self.folder / "db").exists())

    def test_two_that_die(self):
        other = VICTIM.replace("x32", "x16")
        self.fault(f"{VICTIM}:crash:timed again,{other}:crash:timed again")
        document, errors = self.profile()
        crashed = {c["id"] for c in document["candidates"] if c["status"] == "crashed"}
        self.assertEqual(crashed, {VICTIM, other})
        self.assertEqual(len(errors), 2)

    def test_several_matrices_come_out_once(self):
        self.matrix("other.mtx", 900), self.write("bad.mtx", "hello\n")
        words = ("small.mtx", "bad.mtx", "other.mtx", *FEW)
        self.fault(f"{VICTIM}:crash")
        done = self.expect(3, "profile", *words, "--json", "out.json", "--html", "out.html")
        self.assertEqual(done.stdout.count("Winner: "), 2, done.stdout)
        self.assertEqual(done.stderr.count("bad.mtx"), 1, done.stderr)
        self.assertEqual(done.stderr.count(VICTIM), 2, done.stderr)
        documents = json.loads((self.folder / "out.json").read_text())
        self.assertEqual([d["matrix"]["path"] for d in documents], ["small.mtx", "other.mtx"])
        for document in documents:
            self.expect_one_failure(document, "crashed", "SIGSEGV")
        self.assertIn("</html>", (self.folder / "out.html").read_text())

        done = self.expect(3, "compare", *words[:3], "--threads", 1, "--json", "-")
        results = json.loads(done.stdout)["results"]
        self.assertEqual([r["matrix"] for r in results], ["small", "other"])
        self.assertEqual(done.stderr.count("bad.mtx"), 1, done.stderr)

    def test_products(self):
        victim = "spgemm.cpu.csr.hash.p1.d16.f64.i32"
        self.fault(f"{victim}:crash")
        done = self.expect(0, "profile", self.path, "--op", "spgemm", "--json", "-")
        document = json.loads(done.stdout)
        (crashed,) = [c["id"] for c in document["candidates"] if c["status"] == "crashed"]
        self.assertEqual(crashed, victim)
        self.assertTrue(document["complete"])

    def test_the_baseline_may_crash_too(self):
        document, _ = self.profile()
        self.fault(document["baseline"] + ":crash")
        document, _ = self.profile("--fresh")
        self.assertNotIn(document["winner"], (None, document["baseline"]))

    def test_it_gives_up(self):
        self.fault("*.sell.*:crash")
        done = self.expect(1, "profile", self.path, "--threads", 1)
        self.assertIn("gave up after 10", done.stderr)
        (entry,) = self.entries()
        self.assertFalse(entry["complete"])
        self.assertEqual(len([c for c in entry["candidates"] if c["status"] == "crashed"]), 10)
        self.assertTrue(entry["winner"])

    def test_budget_counts_all_workers(self):
        self.fault(f"{VICTIM}:hang", timeout=0.5)
        self.profile("--budget", 0.5, code=6)

    def test_threads_that_are_bound(self):
        # OpenMP's library binds the supervisor itself to a single CPU.
        self.environment["OMP_PROC_BIND"] = "true"
        done = self.expect(0, "profile", self.path, *FEW[:2], "--json", "-")
        self.assertEqual(json.loads(done.stdout)["device"]["threads"], len(os.sched_getaffinity(0)))

    def test_in_one_process(self):
        self.environment["SPTUNE_WORKER"] = "off"
        self.fault(f"{VICTIM}:crash")  # of workers alone
        document, _ = self.profile()
        self.assertFalse([c for c in document["candidates"] if c["status"] == "crashed"])
        self.environment["SPTUNE_WORKER"] = "7"
        self.assertIn("SPTUNE_WORKER", self.expect(2, "profile", self.path).stderr)

    def test_a_worker_that_is_killed_is_replaced(self):
        process = self.start("profile", self.path, "--threads", 1, "--json", "-")
        os.kill(self.worker_of(process, measured=True), signal.SIGKILL)
        out, errors = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 0, errors)
        self.assertTrue(json.loads(out)["complete"])

    def test_a_worker_dies_with_its_supervisor(self):
        process = self.start("profile", self.path, "--threads", 1)
        worker = self.worker_of(process)
        process.kill()
        process.wait()
        self.wait_for(lambda: not is_alive(worker), 10)

    def expect_stored_all_the_same(self, process, code):
        """By a worker that crashes at VICTIM and another that cannot go on."""
        out, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, errors)
        self.assertIn("small: broken off. Stored", errors)
        (entry,) = self.entries()
        self.assertFalse(entry["complete"])
        times = [c for c in entry["candidates"] if c["status"] == "ok"]
        self.assertGreater(len(times), 3)
        self.assertIn(entry["winner"], [c["id"] for c in times])
        (crashed,) = [c for c in entry["candidates"] if c["status"] == "crashed"]
        self.assertEqual((crashed["id"], crashed["format"]), (VICTIM, "sell"))
        self.assertIn("not_reached", [c["status"] for c in entry["candidates"]])
        self.assertGreater(entry["provenance"]["sweep_s"], 0)
        self.assert_valid(entry, "entry", winner=0)
        self.environment.pop("SPTUNE_FAULT")
        self.matrix()
        self.assertTrue(self.profile()[0]["complete"])

    def test_a_worker_that_cannot_read_the_matrix_again(self):
        def lose_matrices():
            # The one that comes last first: once the other is missed, it is its turn.
            (self.folder / "other.mtx").unlink()
            self.path.unlink()

        self.fault(f"{VICTIM}:hang")
        process = self.start("profile", self.path, self.matrix("other.mtx", 900), *FEW[:2], "--threads", 1)
        self.crash_at_victim(process, lose_matrices)
        self.expect_stored_all_the_same(process, 3)

    def test_a_worker_that_cannot_even_begin(self):
        (self.folder / "out").mkdir()
        self.fault(f"{VICTIM}:hang")
        process = self.start("profile", self.path, *FEW, "--json", "out/result.json")
        self.crash_at_victim(process, (self.folder / "out").rmdir)
        self.expect_stored_all_the_same(process, 1)

    def test_a_matrix_that_ends_every_worker_costs_itself(self):
        self.fault("step 1:kill:begun")
        others = [self.matrix(f"{name}.mtx", rows) for name, rows in (("a", 500), ("b", 900), ("c", 1600))]
        done = self.expect(1, "profile", *others, *FEW, "--json", "all.json")
        self.assertIn("gave up on this matrix", done.stderr)
        names = [d["matrix"]["name"] for d in json.loads((self.folder / "all.json").read_text())]
        self.assertEqual(names, ["a", "c"])
        self.assertEqual(len(self.entries()), 2)

    def test_a_hang_does_not_keep_what_was_measured_from_being_stored(self):
        self.fault(f"{VICTIM}:hang", timeout=2)
        entry = self.interrupted(self.path, signal.SIGTERM, False, at=VICTIM)
        (hung,) = [c for c in entry["candidates"] if c["status"] == "timeout"]
        self.assertEqual(hung["id"], VICTIM)
        self.assertTrue(entry["winner"])


if __name__ == "__main__":
    main()
