"""Presses Ctrl+C as a terminal does: every process that was started in it gets the signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

IN_A_TERMINAL: dict[str, Any] = {"start_new_session": True}
if sys.platform == "win32":
    IN_A_TERMINAL = {"creationflags": subprocess.CREATE_NEW_CONSOLE}
"""Options of `Popen` for a process whose Ctrl+C reaches it and its children alone."""

_PRESS = """
import ctypes, sys
kernel = ctypes.windll.kernel32
kernel.FreeConsole()  # a process has one console at most
assert kernel.AttachConsole(int(sys.argv[1])) and kernel.SetConsoleCtrlHandler(None, 1)
assert kernel.GenerateConsoleCtrlEvent(0, 0)
"""


def press_ctrl_c(process: subprocess.Popen[Any]) -> None:
    """Press it in the terminal of a process that was started with `IN_A_TERMINAL`."""
    if sys.platform == "win32":
        subprocess.run([sys.executable, "-c", _PRESS, str(process.pid)], check=True)
    else:
        os.killpg(process.pid, signal.SIGINT)
