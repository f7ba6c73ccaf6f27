from __future__ import annotations

import os

from hypothesis import given
from hypothesis import strategies as st

from vaulttools.files.folder_names import FolderEntry, FolderNames

NAMES = ["a.md", "a", "b.md", "c d.md", "é.md", "日本.md", "\U0001f600.md", "\uffff.md", ".git", ".b.md.icloud"]
OTHERS = st.builds(FolderEntry, st.just(""), st.sampled_from(["file", "folder", "link", "other"]), st.booleans())


@given(
    given_=st.dictionaries(st.sampled_from(NAMES), st.none() | OTHERS),
    folder=st.sampled_from(["", "x.y/z"]),
    odd=st.none() | st.sampled_from([FolderEntry("\udcff.md", "file"), FolderEntry("\udc80", "folder")]),
)
def test_every_name_comes_in_path_order(
    given_: dict[str, FolderEntry | None], folder: str, odd: FolderEntry | None
) -> None:
    files = [name for name, other in given_.items() if other is None]
    others = [other._replace(name=name) for name, other in given_.items() if other is not None]
    if odd is not None and odd.kind == "file":
        files.append(odd.name)
    elif odd is not None:
        others.append(odd)
    start = f"{folder}/" if folder else ""
    names = FolderNames(folder, [start + name for name in files], others)
    every = sorted([*(FolderEntry(name, "file") for name in files), *others], key=lambda each: os.fsencode(each.name))
    assert [*names] == every
    runs = [each for each in names.runs() if isinstance(each, list)]
    singly = [each for each in names.runs() if isinstance(each, FolderEntry)]
    assert sorted(
        [*singly, *(FolderEntry(path.removeprefix(start), "file") for run in runs for path in run)]
    ) == sorted(every)
    assert singly == names.others
    assert all(path.removeprefix(start) in files and path[len(start)] != "." for run in runs for path in run)
