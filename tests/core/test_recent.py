"""The values that were used last are kept, up to a total weight."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from vaulttools.core.recent import Recent

MOST = 10


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.none() | st.integers(1, MOST + 2))))
def test_the_values_used_last_are_kept_if_they_fit(steps: list[tuple[str, int | None]]) -> None:
    recent: Recent[str, int] = Recent(MOST)
    expected: dict[str, int] = {}
    for key, weight in steps:
        if weight is None:
            assert recent.get(key) == expected.get(key)
            if key in expected:
                expected[key] = expected.pop(key)
            continue
        recent.put(key, weight, weight)
        expected.pop(key, None)
        if weight <= MOST:
            expected[key] = weight
        while sum(expected.values()) > MOST:
            del expected[next(iter(expected))]
        assert recent.weight == sum(expected.values())
    assert recent.several("abcd") == [expected.get(key) for key in "abcd"]


def test_many_threads_may_put_and_get_at_once() -> None:
    recent: Recent[int, int] = Recent(50)

    def use(number: int) -> bool:
        recent.put(number % 70, number % 70, 1 + number % 3)
        return recent.get(number % 70) in (number % 70, None)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(use, range(4_000)))
    assert recent.weight <= 50


def test_a_value_is_made_once_until_many_others_push_it_out() -> None:
    recent: Recent[str, object] = Recent(2)
    first = recent.made("a", object)
    assert recent.made("a", object) is first
    recent.made("b", object)
    assert recent.made("a", object) is first
    recent.made("c", object)
    assert recent.made("a", object) is first
    assert recent.get("b") is None
