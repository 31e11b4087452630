"""numpy is loaded without threads of its own, and nobody else notices how."""

from __future__ import annotations

import sys

import pytest

from tests.process import python

LOADED = """
import os
before = dict(os.environ)
import ohara.embed.quantise, ohara.embed.static_model, ohara.store.sqlite.word_search
print(len(os.listdir("/proc/self/task")), os.environ == before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted where the kernel lists them")
@pytest.mark.parametrize("given", [{}, {"OPENBLAS_NUM_THREADS": "1"}], ids=["by itself", "as it was set"])
def test_whoever_loads_numpy_starts_no_thread_and_leaves_the_environment_alone(given: dict[str, str]) -> None:
    done = python("-c", LOADED, env=given)
    assert (done.stdout, done.stderr) == ("1 True\n", "")
