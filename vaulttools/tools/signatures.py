"""Makes the Python method of a tool: its signature, its documentation, its call."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any, Final, Literal, get_args, get_origin

from vaulttools.answers.request import PATHS, explained
from vaulttools.answers.tool import Tool

_BOUND: Final = "max_results"
"""The argument that a stream does not have."""

_CANCEL: Final = Parameter("cancel", Parameter.KEYWORD_ONLY, default=None, annotation="Event | None")
_PROGRESS: Final = Parameter(
    "on_progress", Parameter.KEYWORD_ONLY, default=None, annotation="Callable[[str], None] | None"
)


def method(tool: Tool[Any, Any], *, is_stream: bool = False) -> Callable[..., Any]:
    """Returns a method that calls `answer`, or `stream`, of its vault with its arguments."""
    signature = _signature(tool, is_stream=is_stream)

    def call(*given: Any, **named: Any) -> Any:
        arguments = signature.bind(*given, **named).arguments
        vault = arguments.pop("self")
        cancel, on_progress = arguments.pop("cancel", None), arguments.pop("on_progress", None)
        if is_stream:
            return vault.stream(tool.name, arguments, cancel=cancel)
        return vault.answer(tool.name, arguments, cancel=cancel, on_progress=on_progress)

    call.__name__ = f"iter_{tool.name}" if is_stream else tool.name
    call.__qualname__ = f"ToolMethods.{call.__name__}"
    call.__module__ = "vaulttools.methods"
    call.__doc__ = (_STREAMED if is_stream else _ANSWERED).format(
        name=tool.name,
        summary=tool.summary,
        arguments="\n".join(f"    {name}: {explained(tool.request, name)}" for name in tool.request.model_fields),
    )
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


_ANSWERED: Final = """\
{summary}: see `docs/tools/{name}.md`. Raises `VaultToolsError` with the sentence that `Vault.call` returns.

Args:
{arguments}
    cancel: Set it from another thread to stop the call.
    on_progress: Called with what has been found so far, where the tool reports progress.
"""

_STREAMED: Final = f"""\
Every file that `{{name}}` finds, one by one, with its arguments but `{_BOUND}`.

Raises:
    VaultToolsError: with the sentence that `Vault.call` returns.
"""


def _signature(tool: Tool[Any, Any], *, is_stream: bool) -> Signature:
    parameters = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
    for name, field in tool.request.model_fields.items():
        if is_stream and name == _BOUND:
            continue
        is_placed = field.is_required() or name in tool.request.positional
        kind = Parameter.POSITIONAL_OR_KEYWORD if is_placed else Parameter.KEYWORD_ONLY
        default = Parameter.empty if field.is_required() else field.default
        parameters.append(Parameter(name, kind, default=default, annotation=_typed(name, field.annotation)))
    parameters += [_CANCEL] if is_stream else [_CANCEL, _PROGRESS]
    return Signature(parameters, return_annotation="FileStream" if is_stream else tool.answer.__name__)


def _typed(name: str, annotation: Any) -> str:
    """Returns the type of an argument; arguments that take paths accept path objects too."""
    typed = _annotation(annotation)
    if name not in PATHS:
        return typed
    return typed.replace("list[str]", "Sequence[str | PathLike[str]]").replace("str", "str | PathLike[str]", 1)


def _annotation(annotation: Any) -> str:
    if annotation is type(None):
        return "None"
    if get_origin(annotation) is Literal:
        return f"Literal[{', '.join(chr(34) + str(value) + chr(34) for value in get_args(annotation))}]"
    arguments = get_args(annotation)
    if hasattr(annotation, "__metadata__"):
        return _annotation(arguments[0])
    if annotation is list or get_origin(annotation) is list:
        return f"str | list[{_annotation(arguments[0])}]"
    if get_origin(annotation) is dict:
        return f"dict[{', '.join(map(_annotation, arguments))}]"
    if arguments:
        return " | ".join(map(_annotation, arguments))
    return str(annotation.__name__)
