"""How long a fuzz target runs: for a few examples in every test run, or for its share of the seconds of `make fuzz`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import wraps
from typing import Final

import pytest
from hypothesis import HealthCheck, Phase, settings

SECONDS: Final = float(os.environ.get("VAULTTOOLS_FUZZ_SECONDS", "0"))
"""Seconds for each target; 0: a small number of examples, the same in every run."""

_AT_ONCE: Final = 300
"""Examples after which a long run begins again with other ones."""


def target(examples: int) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """A test of hypothesis as a fuzz target; `examples` is what every test run has time for."""

    def made(test: Callable[..., None]) -> Callable[[], None]:
        budget = settings(
            max_examples=_AT_ONCE if SECONDS else examples,
            derandomize=not SECONDS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
            print_blob=True,
        )(test)

        @wraps(test, updated=())  # else pytest would take the arguments of hypothesis for fixtures
        def repeated() -> None:
            until = time.monotonic() + SECONDS
            budget()
            while time.monotonic() < until:
                budget()

        del repeated.__wrapped__
        marked: Callable[[], None] = pytest.mark.timeout(int(SECONDS * 3) + 120)(repeated)
        return marked

    return made
