"""The chain of text search: counts up to a limit, a page of them, a second look with a tally of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.conftest import MakeVault
from vaulttools import Vault
from vaulttools.answers.text_search import TextSearch
from vaulttools.call import Call
from vaulttools.core.work import Work
from vaulttools.files.scope import Walk
from vaulttools.matching.search import FileCount


@pytest.fixture
def vault(make_vault: MakeVault) -> Vault:
    return make_vault({f"{number}.md": "zebra\n" * number + "Zebra\n" for number in range(1, 6)})


def searched(
    vault: Vault,
    most: int,
    *,
    counts_lines: bool = False,
    passing: Callable[[TextSearch], Iterator[FileCount]] | None = None,
) -> TextSearch:
    call = Call(vault.session, Work())
    compiled = call.session.ripgrep.compile("zebra", "fixed", ignore_case=False)
    scope = call.scope((Walk(),), (), hidden=False, include_excluded=False)
    return TextSearch(call, compiled, scope, most, counts_lines=counts_lines, passing=passing)


@pytest.mark.parametrize(("most", "files", "is_exact"), [(4, 4, False), (5, 5, True), (9, 5, True)])
def test_files_are_counted_up_to_a_limit(vault: Vault, most: int, files: int, is_exact: bool) -> None:
    found = searched(vault, most)
    found.count()
    assert [match.count for match in found.counted] == [1, 2, 3, 4, 5][:files]
    assert found.is_exact == is_exact


@pytest.mark.parametrize(("most", "files", "is_exact"), [(5, 3, False), (6, 4, False), (14, 5, False), (15, 5, True)])
def test_lines_are_counted_with_the_file_that_goes_beyond_the_limit(
    vault: Vault, most: int, files: int, is_exact: bool
) -> None:
    found = searched(vault, most, counts_lines=True)
    found.count_lines()
    assert (len(found.counted), found.is_exact) == (files, is_exact)


@pytest.mark.parametrize(("lines", "shown"), [(1, [1]), (3, [1, 2]), (5, [1, 2, 2]), (99, [1, 2, 3, 4, 5])])
def test_the_first_lines_end_in_the_middle_of_a_file(vault: Vault, lines: int, shown: list[int]) -> None:
    found = searched(vault, 100, counts_lines=True)
    found.count_lines()
    assert [len(file.hits) for file, _ in found.first_lines(lines)] == shown


def test_a_page_begins_where_it_is_asked_to(vault: Vault) -> None:
    found = searched(vault, 100)
    found.count()
    assert [(match.path, len(hits.hits)) for match, hits in found.page(2, 2, 3)] == [("3.md", 3), ("4.md", 3)]


def test_a_second_look_takes_the_scope_and_the_filter_and_counts_for_itself(vault: Vault) -> None:
    def odd(of: TextSearch) -> Iterator[FileCount]:
        return (match for match in of.search.matching() if int(match.path[0]) % 2)

    found = searched(vault, 100, passing=odd)
    found.count()
    other = found.again(vault.session.ripgrep.compile("Zebra", "fixed", ignore_case=False))
    assert [match.path for match in other.matching()] == ["1.md", "3.md", "5.md"]
    every = found.again(found.search.pattern, is_filtered=False)
    assert [match.path for match in every.matching()] == ["1.md", "2.md", "3.md", "4.md", "5.md"]
    assert (found.work.searched, other.work.searched, every.work.searched) == (5, 5, 5)
