"""Embeds by a configured OpenAI-compatible endpoint, such as Ollama's or LM Studio's.

Questions and passages are sent there and nowhere else: no redirect is followed, and no proxy is used.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import numpy as np

from vaulttools.meaning.embedders import EmbedderKey, NoMeaning

if TYPE_CHECKING:
    from vaulttools.meaning.embedders import Choice, Floats

QUESTION_SECONDS: Final = 3.0
"""How long one question may take: a call that waits longer has no time left to answer by words."""

PASSAGES_SECONDS: Final = 120.0
"""How long one batch of passages may take; a model that must be loaded first takes a minute on a slow disk."""

BATCH: Final = 16
"""Passages of one request: a model on one processor embeds them within seconds."""

_MOST_BYTES: Final = 32 * 1024 * 1024
"""Upper bound of the bytes of one answer: 16 vectors of 4,096 numbers take 1.5 MB of JSON."""


def takes(choice: Choice) -> bool:
    """Whether the choice is an address, or anything else that is no model of the extra."""
    return bool(choice.address)


def key_of(choice: Choice) -> EmbedderKey:
    """Returns a key with the model and the address; an endpoint does not show its weights."""
    return Model(choice).key


class Model:
    """A server that embeds. Making the object sends nothing. Its vectors must always have the same dimensions."""

    def __init__(self, choice: Choice) -> None:
        address = choice.address
        try:
            parts = urlsplit(address)
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise NoMeaning(
                f"embedder must be the address of an endpoint, like http://127.0.0.1:11434/v1, and no folder: {address}"
            )
        if not choice.model:
            raise NoMeaning(f"The embedder {address} needs the name of a model: embedder_model")
        path = parts.path.rstrip("/")
        self._address = f"{parts.scheme}://{parts.netloc}{path}"
        self._is_tls = parts.scheme == "https"
        self._host, self._port, self._path = parts.hostname, port, f"{path}/embeddings"
        self._model = choice.model
        self._token = os.environ.get(choice.key_variable, "").strip()
        self._dimensions: int | None = None
        self.key: Final = EmbedderKey(choice.model, self._address, "")

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """See `Embedder`."""
        some = [self._embedded(texts[at : at + BATCH], PASSAGES_SECONDS) for at in range(0, len(texts), BATCH)]
        return np.concatenate(some)

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """See `Embedder`."""
        return self._embedded(texts, QUESTION_SECONDS)

    def _embedded(self, texts: Sequence[str], seconds: float) -> Floats:
        request = json.dumps({"model": self._model, "input": list(texts), "encoding_format": "float"})
        try:
            answer = self._answer(request.encode("utf-8", "replace"), seconds)
        except TimeoutError as error:
            raise NoMeaning(f"The embedder {self._address} did not answer within {seconds:g} s") from error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise NoMeaning(f"The embedder {self._address} cannot be reached: {reason}") from error
        vectors = self._vectors(answer, len(texts))
        if self._dimensions not in (None, vectors.shape[1]):
            raise NoMeaning(
                f"The embedder {self._address} gave vectors of {vectors.shape[1]:,} numbers after "
                f"vectors of {self._dimensions:,}"
            )
        self._dimensions = vectors.shape[1]
        return vectors

    def _answer(self, request: bytes, seconds: float) -> bytes:
        """Returns the body of the answer; raises TimeoutError, OSError or HTTPException if there is none."""
        until = time.monotonic() + seconds
        connection = (
            http.client.HTTPSConnection(self._host, self._port, timeout=seconds, context=ssl.create_default_context())
            if self._is_tls
            else http.client.HTTPConnection(self._host, self._port, timeout=seconds)
        )
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        # The socket's timeout restarts with every byte; this one does not.
        held: list[socket.socket] = []
        end = threading.Timer(seconds, _cut, [connection, held])
        end.daemon = True
        end.start()
        try:
            connection.request("POST", self._path, request, headers)
            held.append(connection.sock)  # which has none any more while it reads an answer that ends with it
            response = connection.getresponse()
            if response.status != 200:
                raise NoMeaning(f"The embedder {self._address} answered with the status {response.status}")
            body = response.read(_MOST_BYTES + 1)
            if len(body) > _MOST_BYTES:
                raise NoMeaning(f"The embedder {self._address} answered with too much")
            if time.monotonic() > until:
                raise TimeoutError
            return body
        except (OSError, http.client.HTTPException, ValueError) as error:
            if time.monotonic() > until:
                raise TimeoutError from error
            raise
        finally:
            end.cancel()
            connection.close()

    def _vectors(self, body: bytes, count: int) -> Floats:
        """Returns the vectors of an answer, in the order of the texts, with length 1."""
        try:
            data = json.loads(body)["data"]
            rows = [each["embedding"] for each in sorted(data, key=lambda each: each["index"])]
            vectors = np.array(rows, np.float32)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise NoMeaning(f"The embedder {self._address} did not answer with embeddings") from error
        if vectors.ndim != 2 or len(vectors) != count or not vectors.shape[1]:
            raise NoMeaning(f"The embedder {self._address} did not answer with one vector for each text")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise NoMeaning(f"The embedder {self._address} gave vectors without a direction")
        directions: Floats = vectors / lengths
        return directions


def _cut(connection: http.client.HTTPConnection, held: Sequence[socket.socket]) -> None:
    """End a connection, whose socket may be held apart from it, while another thread waits for it."""
    for each in held or (connection.sock,):
        with suppress(OSError):
            if each is not None:
                each.shutdown(socket.SHUT_RDWR)
