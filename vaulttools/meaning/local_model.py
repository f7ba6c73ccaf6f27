"""Loads and runs models on this machine, and turns their errors into `NoMeaning`."""

from __future__ import annotations

import base64
import csv
import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vaulttools.core import extras
from vaulttools.meaning.embedders import EmbedderKey, NoMeaning

if TYPE_CHECKING:
    from vaulttools.meaning.embedders import Floats

_CHUNK: Final = re.compile(r"[^ \t\n\r]+")
"""A chunk. No model here has a token that spans these blanks; the models split at more characters than these."""

_MOST_CHUNKS: Final = 100_000
"""Upper bound of cached chunks, about 20 MB; then the cache is emptied."""

_LONGEST_CHUNK: Final = 40
"""Upper bound of the characters of a cached chunk: longer ones rarely occur again."""


class PackagedWeights:
    """The files of an installed package that hold a model."""

    def __init__(self, package: str, is_one: Callable[[metadata.PackagePath], bool]) -> None:
        """`is_one` chooses the model's files among those of the package.

        Raises:
            NoMeaning: the package is not installed.
        """
        try:
            files = list(_files(metadata.distribution(package)))
        except metadata.PackageNotFoundError as error:
            raise NoMeaning(f"{package} is not installed: {extras.install('semantic')}") from error
        except (OSError, ValueError, csv.Error) as error:
            raise NoMeaning(f"The files of {package} cannot be listed: install it again") from error
        self._package = package
        self._files = sorted(filter(is_one, files), key=str)

    def key(self, version: str = "") -> EmbedderKey:
        """Returns the key: the package, its version, the digest of its weights by its list of files, and the `version`
        of what is made from them."""
        digest = hashlib.sha256()
        for file in self._files:
            digest.update(f"{file}={file.hash.value if file.hash else ''}\n".encode())
        made = f"{digest.hexdigest()[:32]} {version}".rstrip()
        return EmbedderKey(self._package, metadata.version(self._package) or "", made, is_packaged=True)

    @contextmanager
    def loading(self) -> Iterator[list[Path]]:
        """Check the files and yield their paths, to load a model in the block. Errors in the block become `NoMeaning`,
        except import errors.

        Raises:
            NoMeaning: files are missing or damaged, or the model cannot be loaded.
        """
        self._check()
        try:
            yield [Path(str(file.locate())) for file in self._files]
        except ImportError:
            raise
        except Exception as error:  # the runtime, the tokenizer and the files have errors of many kinds
            raise NoMeaning(
                f"{self._package} cannot be used ({type(error).__name__}): install the extra again"
            ) from error

    def _check(self) -> None:
        """Compare the files with the digests in the package's list of files."""
        for file in self._files:
            try:
                found = hashlib.sha256(Path(str(file.locate())).read_bytes()).digest()
            except OSError as error:
                raise NoMeaning(
                    f"The weights of {self._package} are missing ({file.name}): install it again"
                ) from error
            if file.hash is not None and base64.urlsafe_b64encode(found).decode().rstrip("=") != file.hash.value:
                raise NoMeaning(f"The weights of {self._package} are damaged ({file.name}): install it again")


def _files(distribution: metadata.Distribution) -> Iterator[metadata.PackagePath]:
    """Yields the files of a package, even missing ones: from Python 3.12 on `metadata.files` leaves these out."""
    for name, digest, *_ in csv.reader((distribution.read_text("RECORD") or "").splitlines()):
        file = metadata.PackagePath(name)
        file.dist = distribution
        file.hash = metadata.FileHash(digest) if digest else None
        yield file


def onnx_session(model: str | bytes, *, without: tuple[str, ...] = ()) -> Any:
    """Returns a session for a graph in ONNX format (path or bytes), with one thread and `without` some optimizers.

    Raises:
        Exception: `onnxruntime` raises errors of its own for a damaged model.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False  # they hold 20 MB and save nothing
    options.log_severity_level = 4  # it would write to the standard error of the server
    onnxruntime.disable_telemetry_events()  # for builds for Windows that do not read the variable (`vaulttools`)
    return onnxruntime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"], disabled_optimizers=list(without)
    )


@contextmanager
def embedding_with(name: str) -> Iterator[None]:
    """Raise any error while a model embeds in the block as `NoMeaning`.

    The runtime has errors of its own kinds, for damaged weights and for lack of memory.
    """
    try:
        yield
    except Exception as error:
        raise NoMeaning(f"{name} cannot embed ({type(error).__name__}): if that lasts, install it again") from error


def checked(name: str, vectors: Floats) -> Floats:
    """Returns the vectors of a model unchanged.

    Raises:
        NoMeaning: not all numbers are finite, as with damaged weights.
    """
    if not np.isfinite(vectors).all():
        raise NoMeaning(f"{name} gives vectors that are not finite: install it again")
    return vectors


def of_length_one(name: str, vectors: Floats) -> Floats:
    """Returns a model's vectors scaled to length 1; zeros stay zeros.

    Raises:
        NoMeaning: not all numbers are finite.
    """
    lengths = checked(name, np.linalg.norm(vectors, axis=1, keepdims=True))
    return np.asarray(vectors / np.maximum(lengths, np.float32(1e-12)), np.float32)


def encodable(text: str) -> str:
    """Returns a text without lone surrogates, which a tokenizer refuses."""
    return text.encode("utf-8", "replace").decode()


class WordTokens:
    """Splits texts into tokens and caches those of each word, for a tokenizer without tokens that span a space.

    A tokenizer needs a quarter of a millisecond or more for a passage, and most words occur again and again.
    """

    def __init__(self, tokens: Callable[[str], list[int]]) -> None:
        self._tokens = tokens
        self._known: dict[str, list[int]] = {}

    def of(self, text: str) -> list[int]:
        """Returns the tokens of a text, as the tokenizer would."""
        known, found = self._known, []
        for chunk in _CHUNK.findall(encodable(text)):
            tokens = known.get(chunk)
            if tokens is None:
                tokens = self._tokens(chunk)
                if len(chunk) <= _LONGEST_CHUNK:
                    known[chunk] = tokens
            found += tokens
        if len(known) > _MOST_CHUNKS:
            self._known = {}
        return found
