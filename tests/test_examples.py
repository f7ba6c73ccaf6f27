"""The tool loops in the documentation: they are short, and work against a scripted API."""

from __future__ import annotations

import importlib.util
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"

LOOPS = ("anthropic_loop", "openai_loop")
FEW = ["query", "search_files", "read", "base", "tasks"]
"""A model chooses worse among all tools, and each tool costs tokens in each call."""


class Scripted:
    """An API's `create`, which gives the replies in turn and remembers what it was asked."""

    def __init__(self, replies: Iterator[Any]) -> None:
        self.asked: list[dict[str, Any]] = []
        self._replies = replies

    def __call__(self, **asked: Any) -> Any:
        self.asked.append({**asked, "messages": list(asked["messages"])})
        return next(self._replies)


def _loaded(name: str, monkeypatch: pytest.MonkeyPatch, **library: ModuleType) -> Any:
    for module, stub in library.items():
        monkeypatch.setitem(sys.modules, module, stub)
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module_ = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module_)
    return module_


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_at_most_30_lines_long(name: str) -> None:
    assert len((EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= 30


@pytest.mark.parametrize(("name", "library"), [("anthropic_loop", "anthropic"), ("openai_loop", "openai")])
def test_a_loop_prints_its_answer_when_it_is_run(
    name: str, library: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], small_vault: Path
) -> None:
    text = SimpleNamespace(type="text", text="An answer.", content="An answer.", tool_calls=None)
    reply = SimpleNamespace(content=[text], choices=[SimpleNamespace(message=text)])
    end = SimpleNamespace(create=lambda **_: reply)
    stub: Any = ModuleType(library)
    stub.Anthropic = stub.OpenAI = lambda: SimpleNamespace(messages=end, chat=SimpleNamespace(completions=end))
    monkeypatch.setitem(sys.modules, library, stub)
    monkeypatch.setattr(sys, "argv", [name, "What?", str(small_vault), "a-model"])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out == "An answer.\n"


def test_the_loop_over_anthropics_api_calls_the_tools_and_returns_the_answer(
    small_vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uses = [
        SimpleNamespace(type="text", text="Let me look."),
        SimpleNamespace(type="tool_use", id="1", name="search_files", input={"pattern": "drill"}),
        SimpleNamespace(type="tool_use", id="2", name="read", input={"note": "nowhere"}),
    ]
    said = [SimpleNamespace(type="text", text="Jörg has it.")]
    replies = [
        SimpleNamespace(stop_reason="tool_use", content=uses),
        SimpleNamespace(stop_reason="end_turn", content=said),
    ]
    create = Scripted(iter(replies))
    stub = ModuleType("anthropic")
    stub.Anthropic = lambda: SimpleNamespace(messages=SimpleNamespace(create=create))  # type: ignore[attr-defined]
    loop = _loaded("anthropic_loop", monkeypatch, anthropic=stub)
    assert loop.ask("Who has the drill?", str(small_vault), "a-model") == "Jörg has it."
    assert [each["name"] for each in create.asked[0]["tools"]] == FEW
    question, reply, results = create.asked[1]["messages"]
    assert (question["role"], reply["content"], results["role"]) == ("user", uses, "user")
    first, second = results["content"]
    assert (first["tool_use_id"], first["is_error"]) == ("1", False) and "return the drill to Jörg" in first["content"]
    assert (second["tool_use_id"], second["is_error"]) == ("2", True)


def test_the_loop_over_openais_api_calls_the_tools_and_returns_the_answer(
    small_vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = SimpleNamespace(name="search_files", arguments='{"pattern": "drill"}')
    calls = SimpleNamespace(content=None, tool_calls=[SimpleNamespace(id="1", function=function)])
    said = SimpleNamespace(content="Jörg has it.", tool_calls=None)
    create = Scripted(SimpleNamespace(choices=[SimpleNamespace(message=reply)]) for reply in (calls, said))
    stub = ModuleType("openai")
    completions = SimpleNamespace(completions=SimpleNamespace(create=create))
    stub.OpenAI = lambda: SimpleNamespace(chat=completions)  # type: ignore[attr-defined]
    loop = _loaded("openai_loop", monkeypatch, openai=stub)
    assert loop.ask("Who has the drill?", str(small_vault), "a-model") == "Jörg has it."
    assert [each["function"]["name"] for each in create.asked[0]["tools"]] == FEW
    _, reply, result = create.asked[1]["messages"]
    assert reply is calls
    assert (result["role"], result["tool_call_id"]) == ("tool", "1") and "return the drill to Jörg" in result["content"]
