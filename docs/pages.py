"""Derives the parts of README.md and docs/ between `<!-- generated: … -->` and `<!-- end -->`.

| mark | becomes |
|---|---|
| `transcript COMMAND` | the output of the command, run in the repository with VAULTTOOLS_VAULT=fixtures/vault |
| `details` | the names of a tool's own details, on the page named after it |
| `tools PREFIX` | the list of tools, each a link to its page |
| `parameters` | a tool's parameter table, on the page named after it |
| `configuration` | the fields of VaultConfig |
| `commands` | the commands of Obsidian's command line that are built |
| `refused` | those that are not, by reason |
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from vaulttools import Vault, VaultConfig, tools
from vaulttools.answers.answer import Answer, AtLeast
from vaulttools.answers.request import schema
from vaulttools.cli import main as cli
from vaulttools.obsidian_cli.commands import BUILT, REASONS

REPOSITORY = Path(__file__).resolve().parent.parent
VAULT = "fixtures/vault"

_MARKED = re.compile(r"<!-- generated: (\w+)(?: ([^\n]+))? -->\n(?s:.*?)<!-- end -->")

_NEW_TOOL = """\
# `{name}`

## When to use it

## Parameters

<!-- generated: parameters -->
<!-- end -->

"""


def pages() -> dict[Path, str]:
    """Return every page with its correct text; a tool without a page gets a template."""
    found = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
    texts = {REPOSITORY / "docs" / "tools" / f"{name}.md": _NEW_TOOL.format(name=name) for name in tools.NAMES}
    texts |= {path: path.read_text(encoding="utf-8") for path in found}
    with _in_repository():
        return {path: filled(text, path.stem) for path, text in texts.items()}


def filled(text: str, name: str) -> str:
    """Return a page's text with its marked parts derived again; `name` is the page's name."""

    def made(match: re.Match[str]) -> str:
        mark, argument = match[1], match[2] or ""
        given = f"{mark} {argument}".strip()
        return f"<!-- generated: {given} -->\n{_MARKS[mark](argument, name)}\n<!-- end -->"

    return _MARKED.sub(made, text)


@contextlib.contextmanager
def _in_repository() -> Iterator[None]:
    before = os.environ.get("VAULTTOOLS_VAULT")
    os.environ["VAULTTOOLS_VAULT"] = VAULT
    try:
        with contextlib.chdir(REPOSITORY):
            with Vault.open(VAULT) as vault:
                vault.build_index()  # a busy machine would answer with a part
            yield
    finally:
        os.environ.pop("VAULTTOOLS_VAULT")
        if before is not None:
            os.environ["VAULTTOOLS_VAULT"] = before


def _transcript(command: str, _: str) -> str:
    program, *words = shlex.split(command)
    if program != "vaulttools":
        raise ValueError(f"a transcript runs vaulttools, not {program}")
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        status = cli.main(words)
    printed = f"$ {command}\n{out.getvalue()}{err.getvalue()}"
    return f"```console\n{printed}{f'$ echo $?{chr(10)}{status}{chr(10)}' if status else ''}```"


def _details(_: str, name: str) -> str:
    tool = tools.named(name)
    if not tool.answers:
        return f"Its own details: `{_own(tool.answer)}`."
    return "\n\n".join(f"{(each.__doc__ or '').rstrip('.')}, its own details: `{_own(each)}`." for each in tool.answers)


def _own(answer: type[Answer]) -> str:
    return _shape({field: about for field, about in answer.model_fields.items() if field not in Answer.model_fields})


def _shape(fields: Mapping[str, FieldInfo]) -> str:
    """Return the names of fields with their inner fields, as in `files: [{path, lines}], total`."""
    return ", ".join(_field_shape(about.alias or field, about.annotation) for field, about in fields.items())


def _field_shape(name: str, annotation: Any) -> str:
    kinds = [annotation, *get_args(annotation)]
    for kind in kinds:
        elements = get_args(kind) if get_origin(kind) is list else (kind,)
        for element in elements:
            if isinstance(element, type) and issubclass(element, BaseModel) and element is not AtLeast:
                inner = f"{{{_shape(element.model_fields)}}}"
                return f"{name}: [{inner}]" if get_origin(kind) is list else f"{name}: {inner}"
    return name


def _tools(prefix: str, _: str) -> str:
    return "\n".join(f"- [`{name}`]({prefix}{name}.md): {tools.named(name).summary}" for name in tools.NAMES)


def _parameters(_: str, name: str) -> str:
    plain = schema(tools.named(name).request)
    required = plain.get("required", ())
    return "\n".join(
        _field(parameter, _type(property_), parameter in required, property_.get("default"), property_["description"])
        for parameter, property_ in plain["properties"].items()
    )


def _configuration(_: str, __: str) -> str:
    lines = []
    for name, property_ in VaultConfig.model_json_schema()["properties"].items():
        field = VaultConfig.model_fields[name]
        default = None if field.default is PydanticUndefined else field.default
        kinds = property_.get("anyOf", [property_])
        kind = " or ".join(_type(choice) for choice in kinds if choice.get("type") != "null")
        lines.append(_field(name, kind, False, default, str(field.description)))
    return "\n".join(lines)


def _field(name: str, kind: str, required: bool, default: object, meaning: str) -> str:
    """Return one line of a list of parameters: name, type, required or default (unless false), meaning."""
    written = _default(default)
    about = [kind, *(["required"] if required else []), *([f"default {written}"] if written else [])]
    return f"- `{name}` ({'; '.join(about)}): {meaning}"


def _default(value: object) -> str:
    if value is None or value is False or value == ():
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _type(property_: dict[str, Any]) -> str:
    if "enum" in property_:
        return ", ".join(f"`{value}`" for value in property_["enum"])
    if isinstance(property_["type"], list):
        return " or ".join(property_["type"])
    kind = {"array": "list of strings"}.get(property_["type"], property_["type"])
    low, high = property_.get("minimum"), property_.get("maximum")
    if low is not None and high is not None:
        kind += f", {low:,} to {high:,}"
    elif high is not None:
        kind += f", at most {high:,}"
    return str(kind)


def _commands(_: str, __: str) -> str:
    rows = []
    for command in BUILT:
        words = [
            _known(f"{each.name}={each.value}".replace("|", "/") if each.value else each.name, each.known)
            for each in command.parameters
        ]
        formats = [_known(name, known) for name, known in command.formats.items()]
        name = _known(command.name, command.known)
        rows.append(f"| {name} | {' '.join(words)} | {' '.join(formats)} |")
    return "\n".join(["| command | parameters and flags | formats |", "|---|---|---|", *rows])


def _known(name: str, known: str) -> str:
    """Return a name: as it is if it is known surely, after `~` if weakly, struck out if it is refused."""
    return {"surely": f"`{name}`", "weakly": f"~`{name}`", "refused": f"~~`{name}`~~"}[known]


def _refused(_: str, __: str) -> str:
    lines = []
    for reason, names in REASONS.items():
        by_head: dict[str, list[str]] = {}
        for name in names.split():
            head, colon, rest = name.partition(":")
            by_head.setdefault(head + colon, []).append(rest)
        lines.append(f"- {reason}: `{' '.join(head + '/'.join(rest) for head, rest in by_head.items())}`")
    return "\n".join(lines)


_MARKS: dict[str, Callable[[str, str], str]] = {
    "transcript": _transcript,
    "details": _details,
    "tools": _tools,
    "parameters": _parameters,
    "configuration": _configuration,
    "commands": _commands,
    "refused": _refused,
}
