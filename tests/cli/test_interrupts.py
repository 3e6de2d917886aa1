"""Signals keep what was measured, whichever process they go to and whatever it does just then."""
import json
import os
import signal
import time

from harness import main
from sweeps import FEW, VICTIM, SweepTest, children, journal


class Interrupts(SweepTest):
    def test_signals_to_the_supervisor_alone_or_to_all(self):
        path = self.matrix("large.mtx", 400000)
        for sent in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            for to_all in (False, True):
                with self.subTest(sent, to_all=to_all):
                    self.interrupted(path, sent, to_all)

    def test_without_a_database_nothing_goes_on(self):
        process = self.start("profile", self.matrix("large.mtx", 400000), *FEW, "--no-db")
        self.worker_of(process, measured=True)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, errors)
        self.assertIn("; without a database the next run starts over", errors)

    def test_beside_a_complete_sweep_the_same_command_starts_over(self):
        path = self.matrix("large.mtx", 400000)
        self.expect(0, "profile", path, *FEW)
        process = self.start("profile", path, *FEW)
        self.worker_of(process, measured=True)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, errors)
        self.assertIn("Not stored: the entry that is there knows more", out)
        self.assertIn("; the same command starts over", errors)

    def test_a_worker_that_is_stuck_outside_a_kernel_ends_soon_after_a_signal(self):
        process = self.start("profile", self.matrix("large.mtx", 400000), *FEW)
        worker = self.worker_of(process)
        time.sleep(0.3)  # it reads the matrix, or measures the bandwidth
        os.kill(worker, signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGINT, errors)
        self.assertRegex(errors, "did not come back within 1[56] s while no kernel ran")

    def test_a_signal_to_a_worker_that_has_not_taken_over_yet(self):
        path = self.matrix("large.mtx", 400000)
        self.fault(f"{VICTIM}:crash")
        process = self.start("profile", path, *FEW)
        first = self.worker_of(process, measured=True)
        self.wait_for(lambda: children(process.pid) not in ([], [first]))
        process.send_signal(signal.SIGTERM)  # while it reads the matrix
        out, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, errors)
        (entry,) = self.entries()
        self.assertEqual(entry["complete"], False)
        self.assertIn("crashed", [c["status"] for c in entry["candidates"]])

    def test_a_signal_between_two_sweeps(self):
        """All that was finished is written, as if it had come during the next sweep."""
        self.fault("step 2:hang:begun")
        words = (self.matrix("a.mtx", 500), self.write("bad.mtx", "hello\n"), self.matrix("c.mtx", 1600), *FEW[2:])
        for command, extra in (("profile", ("--html", "page.html", *FEW[:2])), ("compare", ())):
            for sent, to_all in ((signal.SIGINT, True), (signal.SIGTERM, False)):
                with self.subTest(command, sent=sent):
                    process = self.start(command, *words, *extra, "--json", "out.json")
                    self.wait_for(lambda: b'{"step":"1","code":3}' in journal(process.pid), 100)
                    time.sleep(0.3)
                    (os.killpg if to_all else os.kill)(process.pid, sent)
                    out, errors = process.communicate(timeout=60)
                    self.assertEqual(process.returncode, 128 + sent, errors)
                    self.assertIn("interrupted; finished sweeps are kept", errors)
                    self.assertEqual(errors.count("bad.mtx"), 1, errors)
                    document = json.loads((self.folder / "out.json").read_text())
                    results = document if command == "profile" else document["results"]
                    names = [r["matrix"]["name"] if command == "profile" else r["matrix"] for r in results]
                    self.assertEqual(names, ["a"])
                    self.assertEqual(out.count("Winner:" if command == "profile" else "× oracle"), 1, out)
                    (self.folder / "out.json").unlink()
        self.assertIn("</html>", (self.folder / "page.html").read_text())

    def test_a_signal_before_the_first_sweep(self):
        self.fault("step 0:hang:begun")
        process = self.start("profile", self.path, self.path, *FEW, "--json", "out.json")
        self.worker_of(process)
        time.sleep(0.3)
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, errors), (-signal.SIGINT, ""))
        self.assertFalse((self.folder / "out.json").exists())


if __name__ == "__main__":
    main()
