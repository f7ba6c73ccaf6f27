"""Loads and runs models that lie on this machine, and turns their faults into `NoMeaning`."""

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

from vaulttools.meaning.embedders import EmbedderKey, NoMeaning

if TYPE_CHECKING:
    from vaulttools.meaning.embedders import Floats

_CHUNK: Final = re.compile(r"[^ \t\n\r]+")
"""What lies between these is no part of a token for any of the models here; they take more for space."""

_MOST_CHUNKS: Final = 100_000
"""Chunks that are kept: about 20 MB. Then it begins anew."""

_LONGEST_CHUNK: Final = 40
"""Characters of a chunk that is kept: a longer one hardly comes again."""


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

    def key(self, version: str = "") -> EmbedderKey:
        """The package, its version, the digest of its weights as its list of files has it, and the `version` of what is
        made of them."""
        digest = hashlib.sha256()
        for file in self._files:
            digest.update(f"{file}={file.hash.value if file.hash else ''}\n".encode())
        made = f"{digest.hexdigest()[:32]} {version}".rstrip()
        return EmbedderKey(self._package, metadata.version(self._package) or "", made, is_packaged=True)

    @contextmanager
    def loading(self) -> Iterator[list[Path]]:
        """Check them, then load a model from these files in the block: its errors as `NoMeaning`, but for failing
        imports.

        Raises:
            NoMeaning: they are missing or damaged, or the model cannot be loaded.
        """
        self._check()
        try:
            yield [Path(str(file.locate())) for file in self._files]
        except ImportError:
            raise
        except Exception as error:  # whatever is wrong with what runs the model, its tokenizer or a file
            raise NoMeaning(
                f"{self._package} cannot be used ({type(error).__name__}): install the extra again"
            ) from error

    def _check(self) -> None:
        """Compare the files with the package's list of them."""
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


def onnx_session(model: str | bytes, *, without: tuple[str, ...] = ()) -> Any:
    """What runs a graph in ONNX format, by its path or its bytes, with one thread and `without` some optimizers.

    Raises:
        Exception: `onnxruntime` has errors of its own for a model that is damaged.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False  # 20 MB kept for nothing
    options.log_severity_level = 4  # it would write to the standard error of the server
    onnxruntime.disable_telemetry_events()
    return onnxruntime.InferenceSession(
        model, options, providers=["CPUExecutionProvider"], disabled_optimizers=list(without)
    )


@contextmanager
def embedding_with(name: str) -> Iterator[None]:
    """Whatever goes wrong while a model embeds in the block as `NoMeaning`.

    What runs it raises errors of its own kinds, for damaged weights as for memory that it does not get.
    """
    try:
        yield
    except Exception as error:
        raise NoMeaning(f"{name} cannot embed ({type(error).__name__}): if that lasts, install it again") from error


def checked(name: str, vectors: Floats) -> Floats:
    """The vectors of a model.

    Raises:
        NoMeaning: not all numbers are finite, as with damaged weights.
    """
    if not np.isfinite(vectors).all():
        raise NoMeaning(f"{name} gives vectors that are not finite: install it again")
    return vectors


def of_length_one(name: str, vectors: Floats) -> Floats:
    """The directions of a model's vectors; zeros stay zeros.

    Raises:
        NoMeaning: not all numbers are finite.
    """
    lengths = checked(name, np.linalg.norm(vectors, axis=1, keepdims=True))
    return np.asarray(vectors / np.maximum(lengths, np.float32(1e-12)), np.float32)


def encodable(text: str) -> str:
    """A text without lone surrogates, which a tokenizer refuses."""
    return text.encode("utf-8", "replace").decode()


class WordTokens:
    """Divides texts into tokens, each word once, by a tokenizer to which no token spans a space.

    A tokenizer needs a quarter of a millisecond or more for a passage; most of its words have been there before.
    """

    def __init__(self, tokens: Callable[[str], list[int]]) -> None:
        self._tokens = tokens
        self._known: dict[str, list[int]] = {}

    def of(self, text: str) -> list[int]:
        """The tokens of a text, as the tokenizer would give them."""
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
