"""Defines a `cached_property` without lock that gives all threads the same value.

Before Python 3.12, the standard one has a lock that all instances of a class share: a thread that computes a property
of one note blocks all threads that need the property of another note. Later versions give each of several simultaneous
threads its own value, so data stored in one of these values is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property:  # noqa: N801
        """Computed at the first access; if two threads compute it, the first value stays."""

        def __init__(self, function):
            self._function = function
            self.__doc__ = function.__doc__

        def __set_name__(self, owner, name):
            self._name = name

        def __get__(self, instance, owner=None):
            if instance is None:
                return self
            return instance.__dict__.setdefault(self._name, self._function(instance))
