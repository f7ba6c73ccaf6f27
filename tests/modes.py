"""A command that file modes bind: they do not bind root, who runs tests in containers."""

from __future__ import annotations

import os
import sys

import pytest

_BOUND = """
import ctypes, os, sys

libc = ctypes.CDLL(None, use_errno=True)
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, PR_CAPBSET_DROP = 1, 2, 24

def checked(status):
    if status != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # version 3, this process
sets = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice, 32 capabilities each
checked(libc.capget(header, sets))
for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
    checked(libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0))  # what root gets back in a new program
    for kind in range(3):
        sets[kind] &= ~(1 << capability)
checked(libc.capset(header, sets))
os.execv(sys.argv[1], sys.argv[1:])
"""


def bound_by_modes(command: list[str]) -> list[str]:
    """A command that runs `command`, whose program is a path, as this user, whom the modes of files bind.

    Modes bind another user too, but that user often cannot read the program: `.venv` in a folder of mode 0700.
    """
    if sys.platform == "win32" or os.geteuid() != 0:
        return command
    if sys.platform != "linux":
        pytest.skip("modes do not bind root, and only Linux takes that right away")
    return [sys.executable, "-I", "-S", "-c", _BOUND, *command]
