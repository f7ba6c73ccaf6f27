"""Checks the weights that a package of the registry brings."""

from __future__ import annotations

import base64
import csv
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

from vaulttools.meaning.embedder import EmbedderKey, NoMeaning


class PackagedWeights:
    """The files of an installed package that hold a model."""

    def __init__(self, package: str, is_one: Callable[[metadata.PackagePath], bool]) -> None:
        """`is_one` chooses them among the files of the package.

        Raises:
            NoMeaning: the package is not installed.
        """
        try:
            files = list(_files(metadata.distribution(package)))
        except metadata.PackageNotFoundError as error:
            raise NoMeaning(f"{package} is not installed: pip install '.[semantic]' in the checkout") from error
        except (OSError, ValueError, csv.Error) as error:
            raise NoMeaning(f"The files of {package} cannot be listed: install it again") from error
        self._package = package
        self._files = sorted(filter(is_one, files), key=str)

    @property
    def key(self) -> EmbedderKey:
        """The package, its version and the digest of its weights, as its list of files has it."""
        digest = hashlib.sha256()
        for file in self._files:
            digest.update(f"{file}={file.hash.value if file.hash else ''}\n".encode())
        return EmbedderKey(self._package, metadata.version(self._package) or "", digest.hexdigest()[:32])

    @property
    def paths(self) -> list[Path]:
        """Where they lie."""
        return [Path(str(file.locate())) for file in self._files]

    @contextmanager
    def loading(self) -> Iterator[None]:
        """Check them, then load a model from them in the block: its errors as `NoMeaning`, but for failing imports.

        Raises:
            NoMeaning: they are missing or damaged, or the model cannot be loaded.
        """
        self._check()
        try:
            yield
        except ImportError:
            raise
        except Exception as error:  # whatever is wrong with what runs the model, its tokenizer or a file
            raise NoMeaning(
                f"{self._package} cannot be used ({type(error).__name__}): install the extra again"
            ) from error

    def _check(self) -> None:
        """Compare them with the package's list of files.

        Raises:
            NoMeaning: a file is missing or another one.
        """
        for file in self._files:
            try:
                found = hashlib.sha256(Path(str(file.locate())).read_bytes()).digest()
            except OSError as error:
                raise NoMeaning(
                    f"The weights of {self._package} are not there ({file.name}): install it again"
                ) from error
            if file.hash is not None and base64.urlsafe_b64encode(found).decode().rstrip("=") != file.hash.value:
                raise NoMeaning(f"The weights of {self._package} are damaged ({file.name}): install it again")


def _files(distribution: metadata.Distribution) -> Iterator[metadata.PackagePath]:
    """The files of a package, those that are missing too: from Python 3.12 on `metadata.files` leaves these out."""
    for name, digest, *_ in csv.reader((distribution.read_text("RECORD") or "").splitlines()):
        file = metadata.PackagePath(name)
        file.dist = distribution
        file.hash = metadata.FileHash(digest) if digest else None
        yield file
