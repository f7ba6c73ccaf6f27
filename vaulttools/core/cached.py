"""`cached_property` that makes no thread wait, and gives all of them one value.

That of Python before 3.12 has a lock that all instances of a class share: a thread that computed a property of one note
made every other thread wait that asked another note for its own. That of later ones gives threads that come at the same
time a value each: what is registered with one of them is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801
        """Computed when it is first asked for; two threads may both compute it, and the first value stays."""

        def __init__(self, function):
            self._function = function
            self.__doc__ = function.__doc__

        def __set_name__(self, owner, name):
            self._name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            return instance.__dict__.setdefault(self._name, self._function(instance))
