"""Describes the REST routes as OpenAPI 3.1, in YAML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import yaml

from vaulttools import __version__
from vaulttools.server.rest.files import MAP, NOTE, PERIODS
from vaulttools.server.rest.notes import FIELDS
from vaulttools.server.rest.searches import DATAVIEW, JSONLOGIC
from vaulttools.server.rest.simple import LONGEST_CONTEXT, MOST_WORDS, WITH_MATCHES

ABOUT: Final = """\
What this server answers of the Local REST API of Obsidian. It changes nothing: other methods get 403. Where the \
server has several vaults, every path is below /v/VAULT. HEAD is answered like GET; the last slash of a path does not \
count, but for those of folders."""

REFUSALS: Final[Mapping[int, str]] = {
    400: "The request cannot be used.",
    401: "The server asks for a token, and the request has none or a wrong one.",
    403: "The request comes from a web page of another origin.",
    404: "It does not exist, or is hidden or protected; or there is no such vault, or the path must name one.",
    406: "It exists, but in none of the formats that the request accepts.",
    413: "The body has more than 1 MiB.",
    421: "The Host header names another server.",
    500: "The server failed for a reason of its own, or cannot read the vault.",
    503: "The answer cannot be finished in time, or the server is busy; ask again.",
}
"""What each refusal means, by status."""

_OF_ALL: Final = (401, 403, 413, 421)
"""Refusals of requests to any path but `/`, which needs no token."""

_OF_VAULT: Final = (*_OF_ALL, 404, 500, 503)
"""Those of requests that a vault answers."""

_OF_FILE: Final = (*_OF_VAULT, 400, 406)

_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_ANYTHING: Final[Mapping[str, Any]] = {}


def _object(optional: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    """Returns the schema of an object with these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
    }


def _list(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": _object(**properties)}


def _schema(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


_STAT: Final = {**_object(ctime=_NUMBER, mtime=_NUMBER, size=_NUMBER), "description": "Times in milliseconds; bytes."}

_NOTE_FIELDS: Final[Mapping[str, Any]] = {
    "tags": {**_TEXTS, "description": "Without #; those of the properties first."},
    "frontmatter": {"type": "object", "additionalProperties": _ANYTHING, "description": "The properties."},
    "stat": _STAT,
    "path": _TEXT,
    "content": _TEXT,
    "links": {**_TEXTS, "description": "Paths of the files that it links to."},
    "backlinks": {**_TEXTS, "description": "Paths of the notes that link to it."},
    "unresolvedLinks": {**_TEXTS, "description": "Links that lead nowhere."},
}

SCHEMAS: Final[Mapping[str, Any]] = {
    "Error": {
        **_object(errorCode={"type": "integer"}, message=_TEXT),
        "description": "The status and two digits of detail; one sentence.",
    },
    "Listing": {**_object(files=_TEXTS), "description": "Names in a folder, sorted; folders end with /."},
    "Note": _object(**{name: _NOTE_FIELDS[name] for name in FIELDS}),
    "DocumentMap": {
        **_object(
            ("version",),
            headings={
                "oneOf": [_TEXTS, {"type": "object", "additionalProperties": _ANYTHING}],
                "description": "A list of paths in version 1, else a tree.",
            },
            blocks=_TEXTS,
            frontmatterFields=_TEXTS,
            version=_TEXT,
        ),
        "description": "The parts of a note.",
    },
    "Status": _object(
        ("certificateInfo", "apiExtensions"),
        status=_TEXT,
        manifest={"type": "object", "additionalProperties": _ANYTHING},
        versions=_object(obsidian=_TEXT, self=_TEXT),
        service=_TEXT,
        authenticated={"type": "boolean"},
        certificateInfo={"type": "object", "additionalProperties": _ANYTHING},
        apiExtensions={"type": "array", "items": _ANYTHING},
    ),
    "Tags": _object(tags=_list(name=_TEXT, count={"type": "integer"})),
    "Recent": _list(optional=("content",), path=_TEXT, date=_TEXT, stat=_STAT, content=_TEXT),
    "Matches": _list(
        filename=_TEXT,
        score=_NUMBER,
        matches=_list(
            match={
                **_object(
                    start={"type": "integer"},
                    end={"type": "integer"},
                    source={**_TEXT, "enum": ["content", "filename"]},
                ),
                "description": "Offsets in UTF-16 units.",
            },
            context=_TEXT,
        ),
    ),
    "Results": _list(filename=_TEXT, result=_ANYTHING),
    "Passages": _object(results=_list(path=_TEXT, text=_TEXT, score=_NUMBER, breadcrumbs=_TEXT)),
}
"""The answers, by name."""

_INDEXING: Final = {
    "Vaulttools-Indexing": {"description": "The state of the index while it is built.", "schema": _TEXT}
}
_NOTICES: Final = {
    "Vaulttools-Notices": {"description": "Percent-encoded sentences: what the answer leaves out.", "schema": _TEXT}
}
_RETRY: Final = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}

_FILE: Final[Mapping[str, Any]] = {
    "text/markdown": {"schema": _TEXT},
    NOTE: {"schema": _schema("Note")},
    MAP: {"schema": _schema("DocumentMap")},
    "*/*": {},
}
"""A file as it is, as one of the two kinds of JSON, or a part of it."""

_FORMATS: Final = [
    {"name": "Target-Type", "in": "header", "schema": {**_TEXT, "enum": ["heading", "block", "frontmatter"]}},
    {"name": "Target", "in": "header", "schema": _TEXT, "description": "The part; headings are separated by ::."},
    {"name": "Markdown-Patch-Version", "in": "header", "schema": _TEXT, "description": "1 for a flat document map."},
]


def _named(name: str, said: str, **schema: Any) -> dict[str, Any]:
    """Returns a parameter of the path."""
    return {"name": name, "in": "path", "required": True, "description": said, "schema": {**_TEXT, **schema}}


_PERIOD: Final = _named("period", "The kind of periodic note.", enum=[*PERIODS])
_DAY: Final = [_named(name, "In numbers.", pattern="^[0-9]{1,4}$") for name in ("year", "month", "day")]


def _asked(name: str, said: str, **schema: Any) -> dict[str, Any]:
    """Returns a parameter of the query."""
    return {"name": name, "in": "query", "description": said, "schema": schema}


def _json(schema: str) -> dict[str, Any]:
    return {"application/json": {"schema": _schema(schema)}}


def _operation(
    name: str,
    summary: str,
    content: Mapping[str, Any],
    refusals: tuple[int, ...] = _OF_VAULT,
    *,
    headers: Mapping[str, Any] = _INDEXING,
    **more: Any,
) -> dict[str, Any]:
    """Returns one operation; `content` is what it answers with 200."""
    answered = {"200": {"description": summary, **({"headers": headers} if headers else {}), "content": content}}
    refused = {str(status): {"$ref": f"#/components/responses/Refused{status}"} for status in sorted(refusals)}
    return {"operationId": name, "summary": summary, **more, "responses": answered | refused}


def _body(content: Mapping[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": content}


_FOLDERS: Final = {**_TEXTS, "description": "Folders of the vault."}

OPERATIONS: Final[Mapping[tuple[str, str], Mapping[str, Any]]] = {
    ("/", "get"): _operation(
        "status", "That the server runs", _json("Status"), (403, 413, 421), headers={}, security=[]
    ),
    ("/vault/", "get"): _operation("files", "The names in the vault's folder", _json("Listing")),
    ("/vault/{path}", "get"): _operation(
        "file",
        "A file, its description, or a part of it",
        {**_FILE, "application/json": {"schema": {"description": "The names in a folder, or a property's value."}}},
        _OF_FILE,
        description=f"Accept chooses the format: {NOTE}, {MAP}, or the file as it is. A path that ends with / is a "
        "folder and gives its Listing. After the path of a note, /heading/A/B, /block/ID and /frontmatter/KEY name a "
        "part of it.",
        parameters=[_named("path", "Vault-relative; its slashes need no escapes."), *_FORMATS],
    ),
    ("/tags/", "get"): _operation(
        "tags", "Every tag, with its number of notes", _json("Tags"), headers={**_INDEXING, **_NOTICES}
    ),
    ("/periodic/{period}/", "get"): _operation(
        "periodicNote",
        "The note of today, this week, month, quarter or year",
        _FILE,
        _OF_FILE,
        parameters=[_PERIOD, *_FORMATS],
    ),
    ("/periodic/{period}/{year}/{month}/{day}/", "get"): _operation(
        "periodicNoteOf",
        "The note of another day, or of its week, month, quarter or year",
        _FILE,
        _OF_FILE,
        parameters=[_PERIOD, *_DAY, *_FORMATS],
    ),
    ("/periodic/{period}/recent", "get"): _operation(
        "recentPeriodicNotes",
        "The newest periodic notes",
        _json("Recent"),
        (*_OF_VAULT, 400),
        parameters=[
            _PERIOD,
            _asked("limit", "How many.", type="integer", minimum=1, maximum=9999, default=5),
            _asked("includeContent", "Whether with their texts.", type="boolean", default=False),
        ],
    ),
    ("/commands/", "get"): _operation(
        "commands",
        "No commands: no app runs here",
        {"application/json": {"schema": _object(commands={"type": "array", "items": _ANYTHING})}},
        _OF_ALL,
        headers={},
    ),
    ("/openapi.yaml", "get"): _operation(
        "description", "This document", {"application/yaml": {}}, (*_OF_ALL, 503), headers={}
    ),
    ("/search/simple/", "post"): _operation(
        "simpleSearch",
        f"Notes that hold every word; the first {WITH_MATCHES} with their matches",
        _json("Matches"),
        (*_OF_VAULT, 400),
        headers={**_INDEXING, **_NOTICES},
        parameters=[
            {**_asked("query", f"1 to {MOST_WORDS} words.", **_TEXT), "required": True},
            _asked(
                "contextLength",
                f"Characters on either side of a match, {LONGEST_CONTEXT:,} at most.",
                type="integer",
                default=100,
            ),
        ],
    ),
    ("/search/", "post"): _operation(
        "search",
        "Notes for which a rule gives a result",
        _json("Results"),
        (*_OF_VAULT, 400),
        headers={**_INDEXING, **_NOTICES},
        description="A rule in JsonLogic, with the further operators glob and regexp; of Dataview the one query for "
        "recent changes.",
        requestBody=_body({JSONLOGIC: {"schema": _ANYTHING}, DATAVIEW: {"schema": _TEXT}}),
    ),
    ("/search/smart", "post"): _operation(
        "smartSearch",
        "Passages that answer a question",
        _json("Passages"),
        (*_OF_VAULT, 400),
        headers={**_INDEXING, **_NOTICES},
        requestBody=_body(
            {
                "application/json": {
                    "schema": _object(
                        ("filter",),
                        query=_TEXT,
                        filter=_object(
                            ("folders", "excludeFolders", "limit"),
                            folders=_FOLDERS,
                            excludeFolders=_FOLDERS,
                            limit={"type": "integer", "default": 10},
                        ),
                    )
                }
            }
        ),
    ),
}
"""What each route answers, by path and method; `routes` has the same paths."""


@cache
def document(*, needs_token: bool = True) -> str:
    """Returns the document as YAML; `needs_token` is true of the server."""
    paths: dict[str, Any] = {}
    refusals = {status: said for status, said in REFUSALS.items() if status != 401 or needs_token}
    for (path, method), operation in OPERATIONS.items():
        possible = {each: said for each, said in operation["responses"].items() if each != "401" or needs_token}
        paths.setdefault(path, {})[method] = {**operation, "responses": possible}
    whole = {
        "openapi": "3.1.0",
        "info": {"title": "Local REST API, answered by vaulttools", "version": __version__, "description": ABOUT},
        "servers": [{"url": "."}],
        "security": [{"bearer": []}] if needs_token else [],
        "paths": paths,
        "components": {
            "schemas": SCHEMAS,
            "responses": {f"Refused{status}": _refusal(status, said) for status, said in refusals.items()},
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }
    # A copy repeats shared parts; YAML would refer to them.
    return yaml.safe_dump(json.loads(json.dumps(whole)), sort_keys=False, allow_unicode=True, width=120)


def _refusal(status: int, said: str) -> dict[str, Any]:
    headers = {"headers": _RETRY} if status == 503 else {}
    return {"description": said, **headers, "content": _json("Error")}
