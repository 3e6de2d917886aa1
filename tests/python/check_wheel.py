"""check_wheel.py CMAKE COMPILER BUILD SOURCE SCRATCH: installs the build's C++ library, has pip make a wheel
that takes it, removes the library, and uses the wheel, which has to carry all it needs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

cmake, compiler, build, source, scratch = sys.argv[1:]
scratch = Path(scratch)
shutil.rmtree(scratch, ignore_errors=True)
prefix, wheels, site = scratch / "installed", scratch / "wheels", scratch / "site"
environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {"CXX": compiler}
if shutil.which("ccache"):
    environment["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"


def run(*words, **more):
    subprocess.run([str(w) for w in words], check=True, env=environment, **more)


run(cmake, "--install", build, "--prefix", prefix, stdout=subprocess.DEVNULL)
assert not list(prefix.rglob("_sptune*")), "the C++ package carries Python's"
run(sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps",
    "--no-build-isolation", "--wheel-dir", wheels, source, f"--config-settings=build-dir={scratch / 'build'}",
    f"--config-settings=cmake.define.CMAKE_PREFIX_PATH={prefix}")
[wheel] = wheels.glob("*.whl")
run(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps",
    "--target", site, wheel)
shutil.rmtree(prefix)

environment["PYTHONPATH"] = str(site)
run(sys.executable, "-c", """
import sys
import scipy.sparse, sptune
site = sys.argv[1]
assert sptune.__file__.startswith(site), sptune.__file__
libraries = {line.split()[-1] for line in open("/proc/self/maps") if "libsptune" in line}
assert libraries and all(path.startswith(site) for path in libraries), libraries
from importlib.metadata import version
assert version("sptune") == sptune.__version__, version("sptune")
A = scipy.sparse.csr_matrix([[2.0, 0.0], [1.0, 3.0]])
assert list(sptune.plan(A) @ [1, 1]) == [2, 4]
print(sys.argv[2], "works")
""", site, wheel.name, cwd=scratch)
