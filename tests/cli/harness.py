"""Runs the built `sptune` in a folder of its own, with a tuning database of its own."""
import functools
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]


@functools.cache
def schemas():
    """The module that reads the published ones; None where the Python module jsonschema is missing,
    which is said once."""
    sys.path.insert(0, str(ROOT / "tests" / "db"))
    try:
        import check_schema
    except SystemExit:
        print("documents are not held against the published schemas: there is no Python module jsonschema",
              file=sys.stderr)
        return None
    return check_schema


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

    def code_of(self, redirection, *words):
        """The exit code of a command whose streams go where the shell's `redirection` says."""
        line = " ".join(self.command(*words)) + " " + redirection
        return subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment, timeout=100).returncode

    def assert_valid(self, document, kind, **spoiled):
        """Holds `document` against the published schema, which has to refuse it with `spoiled` members."""
        if schemas() is None:
            return
        schema = schemas().validator(ROOT / "db" / "schema", kind)
        schema.validate(document)
        for name, value in {"unheard_of": 1, **spoiled}.items():
            self.assertFalse(schema.is_valid({**document, name: value}), name)

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
