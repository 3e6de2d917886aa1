"""Runs the built `sptune` in a folder of its own, with a tuning database of its own."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path


class CliTest(unittest.TestCase):
    program = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = {**os.environ, "SPTUNE_DB": str(self.folder / "db")}
        self.environment.pop("NO_COLOR", None)

    def command(self, *words):
        return [self.program, *(str(word) for word in words)]

    def run_sptune(self, *words, timeout=100):
        return subprocess.run(self.command(*words), capture_output=True, text=True, cwd=self.folder,
                              env=self.environment, stdin=subprocess.DEVNULL, timeout=timeout)

    def expect(self, code, *words):
        """Runs, checks the exit code, and returns the finished process."""
        done = self.run_sptune(*words)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def matrix(self, name="small.mtx", rows=400):
        path = self.folder / name
        self.expect(0, "generate", "stencil-2d-5", "--rows", rows, "-o", path)
        return path


def main():
    CliTest.program = os.path.abspath(sys.argv.pop(1))
    unittest.main()
