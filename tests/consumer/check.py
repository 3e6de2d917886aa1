"""check.py CMAKE BUILD SOURCE SCRATCH: installs the build, builds the consumer against what was
installed (CMake package, then pkg-config) and runs it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

cmake, build, source, scratch = sys.argv[1:]
scratch = Path(scratch)
shutil.rmtree(scratch, ignore_errors=True)
prefix = scratch / "installed"
environment = {**os.environ, "SPTUNE_DB": str(scratch / "db")}


def run(*words, **more):
    subprocess.run([str(w) for w in words], check=True, env=environment, **more)


run(cmake, "--install", build, "--prefix", prefix, stdout=subprocess.DEVNULL)
run(cmake, "-G", "Ninja", "-S", source, "-B", scratch / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
    "-DCMAKE_BUILD_TYPE=Release")
run(cmake, "--build", scratch / "build")
picky = scratch / "picky"
picky.mkdir()
(picky / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(picky LANGUAGES NONE)\n"
                                      "find_package(sptune REQUIRED COMPONENTS nonsense)\n")
refused = subprocess.run([cmake, "-S", picky, "-B", picky / "build", f"-DCMAKE_PREFIX_PATH={prefix}"],
                         env=environment, capture_output=True, text=True)
assert refused.returncode != 0 and 'sptune has no component "nonsense"' in refused.stderr, refused
for program in ("consumer_cpp", "consumer_c"):
    run(scratch / "build" / program)
run(prefix / "bin" / "sptune", "--version")

# The examples build by themselves (those of the CPU; looking for a CUDA compiler takes longer than they do).
examples = Path(source).resolve().parent.parent / "examples"
run(cmake, "-G", "Ninja", "-S", examples, "-B", scratch / "examples", f"-DCMAKE_PREFIX_PATH={prefix}",
    "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CUDA_COMPILER=NOTFOUND")
run(cmake, "--build", scratch / "examples", "--target", "example_cg",
    "example_cg_c", "example_pagerank_c", "example_time_stepping_c")

# A database that was installed with it is found, wherever the prefix lies, by the program and the library; where there
# is none, the program says where it would be.
homeless = {**environment, "XDG_DATA_HOME": str(scratch / "home")}
del homeless["SPTUNE_DB"]


def expect_built_in(below, state):
    info = json.loads(subprocess.run([below / "bin" / "sptune", "info", "--json", "-"], env=homeless, check=True,
                                     capture_output=True, text=True).stdout)
    where = info["databases"][-1]
    expected = str(below / "share" / "sptune" / "built-in.json")
    assert (where["owner"], where["state"], where["path"]) == ("built-in", state, expected), where


built_in = prefix / "share" / "sptune" / "built-in.json"
moved = scratch / "moved"
prefix.rename(moved)
expect_built_in(moved, "nothing there")
moved.rename(prefix)
built_in.parent.mkdir(parents=True, exist_ok=True)
built_in.write_text('{"schema": "sptune.export/1", "entries": []}')
prefix.rename(moved)
expect_built_in(moved, "exported file")
moved.rename(prefix)

library = next(prefix.glob("lib*/**/libsptune.so")).parent
if shutil.which("pkg-config"):
    environment["PKG_CONFIG_PATH"] = str(library / "pkgconfig")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "sptune"], env=environment, check=True,
                           capture_output=True, text=True).stdout.split()
    run("cc", Path(source) / "main.c", "-o", scratch / "by_pkg_config", *flags, f"-Wl,-rpath,{library}")
    run(scratch / "by_pkg_config")

# Nothing but the public interface is visible.
names = subprocess.run(["nm", "-DC", "--defined-only", library / "libsptune.so"], check=True,
                       capture_output=True, text=True).stdout.splitlines()
names = [line.split(maxsplit=2)[2] for line in names if len(line.split(maxsplit=2)) == 3]
assert any(name.startswith("sptune_plan_create") for name in names), names
strange = [n for n in names if "sptune::v1::" not in n and not n.startswith("sptune_")]
assert not strange, strange
