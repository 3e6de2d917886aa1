"""Sweeps in a process of their own, whose kernels crash or hang as the tests ask for."""
import json
import os
import subprocess
import time
from pathlib import Path

from harness import CliTest

FEW = ("--variants", "*.csr.static.*,*.sell.simd.c8.s1.*", "--threads", 1)
VICTIM = "spmv.cpu.sell.simd.c8.s1.x32.wn.f64.i32"


def children(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def journal(pid):
    for link in Path(f"/proc/{pid}/fd").iterdir():
        if "memfd:sptune" in os.readlink(link):
            return link.read_bytes()
    return b""


def at_work_on(pid):
    """The kernel that its worker runs, from the page before the journal."""
    return journal(pid)[:4096]


def is_alive(pid):
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


class SweepTest(CliTest):
    def setUp(self):
        super().setUp()
        self.path = self.matrix()

    def fault(self, text, timeout=None):
        self.environment["SPTUNE_FAULT"] = text
        if timeout:
            self.environment["SPTUNE_CANDIDATE_TIMEOUT"] = str(timeout)

    def entries(self):
        return [json.loads(path.read_text()) for path in (self.folder / "db").rglob("*.json")]

    def profile(self, *words, code=0):
        """The document, alone on stdout, and the lines of stderr."""
        done = self.expect(code, "profile", self.path, *FEW, "--json", "-", *words)
        return json.loads(done.stdout), done.stderr.splitlines()

    def start(self, *words):
        process = subprocess.Popen(self.command(*words), cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def wait_for(self, what, seconds=60):
        deadline = time.monotonic() + seconds
        while not (found := what()):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        return found

    def worker_of(self, process, measured=False):
        """Its pid, perhaps once it has measured something."""
        worker = self.wait_for(lambda: children(process.pid))[0]
        if measured:
            self.wait_for(lambda: b'"candidate"' in journal(process.pid))
        return worker

    def interrupted(self, path, sent, to_all, at=None):
        db = self.folder / f"db-{sent}-{to_all}"
        process = self.start("profile", path, "--db", db, "--threads", 1)
        self.worker_of(process, measured=True)
        if at:
            self.wait_for(lambda: at.encode() in at_work_on(process.pid))
        (os.killpg if to_all else os.kill)(process.pid, sent)
        out, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + sent, errors)
        self.assertIn("interrupted", errors)
        (file,) = db.rglob("*.json")
        entry = json.loads(file.read_text())
        self.assertFalse(entry["complete"])
        return entry
