"""What the documentation shows is what happens."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse.linalg
import sptune
from matrices import poisson

def test_the_session_of_the_guide():
    guide = Path(__file__).parents[2] / "docs" / "python.md"
    result = doctest.testfile(str(guide), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 10 and result.failed == 0


@pytest.mark.parametrize("name", ["sptune"] + [f"sptune.{m.name}" for m in pkgutil.iter_modules(sptune.__path__)
                                               if m.name != "_sptune"])
def test_docstrings(name):
    A = poisson(10)
    b = A @ np.ones(100)
    shown = {"A": A, "x": np.ones(100), "b": b, "y": b.copy(), "sptune": sptune, "scipy": scipy,
             "p": sptune.plan(A)}
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs=shown, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_everything_public_is_documented():
    for name in sptune.__all__:
        assert getattr(sptune, name).__doc__
