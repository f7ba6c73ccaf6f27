"""Gives the matching files of a search one by one."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from types import TracebackType

from vaulttools.answers import answer
from vaulttools.answers.file_match import FileMatch
from vaulttools.core.work import Work


class FileStream(Iterator[FileMatch]):
    """The matching files of `Vault.iter_search_files`, each as soon as it is found."""

    def __init__(self, files: Generator[FileMatch, None, None], work: Work, notices: Sequence[str] = ()) -> None:
        self._files = files
        self._work = work
        self._notices = notices
        self._found = False

    def __next__(self) -> FileMatch:
        file = next(self._files)
        self._found = True
        return file

    def close(self) -> None:
        """End the search; the end of a `with` block or of the last reference does so too."""
        self._files.close()

    def __enter__(self) -> FileStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def complete(self) -> bool:
        """As `Answer.complete`, for the files looked at so far; after the last one, for all."""
        return self._work.complete

    @property
    def notices(self) -> list[str]:
        """What an answer would say of the pattern, and of files that were passed over so far."""
        return [*self._notices, *answer.passed_over(self._work, found=self._found)]
