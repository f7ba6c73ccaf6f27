"""`cached_property` as Python has it from 3.12 on.

Before, its lock was shared by all instances of a class: a thread that computed a property of one note made every other
thread wait that asked another note for its own.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING or sys.version_info >= (3, 12):
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801
        """Computed when it is first asked for; two threads may both compute it, and one of the values stays."""

        def __init__(self, function):
            self._function = function
            self.__doc__ = function.__doc__

        def __set_name__(self, owner, name):
            self._name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            value = instance.__dict__[self._name] = self._function(instance)
            return value
