"""The registry of resolvers: what a URL is, what no resolver gets to see, and what a resolver may answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Barrier, Thread
from typing import Any

import pytest

from vaulttools.errors import AccessDenied, BadArgument, Cancelled, VaultToolsError
from vaulttools.resources.urls import Backed, Resolver, Resolvers, Virtual, is_url


def resolvers(**known: Resolver) -> Resolvers:
    made = Resolvers()
    for scheme, resolver in known.items():
        made.register(scheme, resolver)
    return made


def echo(url: str) -> Sequence[Virtual]:
    return [Virtual(url, "text")]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("obsidian://open?file=a", True),
        ("vaulttools://docs", True),
        ("git+ssh.2-x://y", True),
        ("OBSIDIAN://open", True),
        ("ab://", True),
        ("C:\\notes\\a.md", False),
        ("c://notes", False),
        ("1password://x", False),
        ("note.md", False),
        ("a b://c", False),
        ("Projects/http://x", False),
        ("obsidian:open", False),
        ("[[https://example.com]]", False),
        ("", False),
    ],
)
def test_a_url_begins_with_a_scheme_of_two_characters_or_more(entry: str, expected: bool) -> None:
    assert is_url(entry) is expected


def test_a_resolver_gets_the_whole_url_as_written() -> None:
    assert resolvers(virtual=echo).resolve("Virtual://Doc.md?x=%2A#y") == [Virtual("Virtual://Doc.md?x=%2A#y", "text")]


def test_backed_and_virtual_resources_come_in_the_order_of_the_resolver() -> None:
    several = (Backed("b.md"), Virtual("x://a", ""), Backed("a.md", ("H",)))
    assert resolvers(xx=lambda _: several).resolve("xx://") == list(several)
    assert resolvers(xx=lambda _: ()).resolve("xx://nothing") == []


def test_an_unknown_scheme_names_the_known_ones() -> None:
    with pytest.raises(BadArgument) as caught:
        resolvers(obsidian=echo, vaulttools=echo).resolve("https://example.com/*")
    assert str(caught.value) == "Unknown URL scheme: https://example.com/*; known are obsidian://, vaulttools://"


@pytest.mark.parametrize(
    "url", ["xx://*.md", "xx://a[1]", "xx://{a,b}", "xx://a?b?c", "xx://a?file=*", "xx://a?file=what?"]
)
def test_glob_characters_are_refused(url: str) -> None:
    with pytest.raises(BadArgument) as caught:
        resolvers(xx=echo).resolve(url)
    assert str(caught.value) == f"Glob patterns are not supported for internal URLs: {url}"


@pytest.mark.parametrize("url", ["xx://a?b=c", "xx://a?", "xx://%2A%3F%5B%7B", "xx://a]}", "xx://a?b=%3F"])
def test_the_query_and_percent_encoded_characters_are_no_glob(url: str) -> None:
    assert resolvers(xx=echo).resolve(url) == [Virtual(url, "text")]


@pytest.mark.parametrize("scheme", ["", "x", "2x", "a b", "a_b", "xx://", "xx:", "ſx", "xx\n"])
def test_an_invalid_scheme_is_not_registered(scheme: str) -> None:
    with pytest.raises(BadArgument):
        Resolvers().register(scheme, echo)


def test_a_scheme_registered_again_has_the_new_resolver_whatever_its_case() -> None:
    made = resolvers(xx=lambda _: [])
    made.register("XX", echo)
    assert made.resolve("xx://a") == [Virtual("xx://a", "text")]


def _raising(error: BaseException) -> Resolver:
    def resolve(url: str) -> Sequence[Virtual]:
        raise error

    return resolve


@pytest.mark.parametrize("error", [BadArgument("Vault is not open: x"), AccessDenied(".git"), Cancelled()])
def test_the_refusal_of_a_resolver_comes_through(error: VaultToolsError) -> None:
    with pytest.raises(type(error)) as caught:
        resolvers(xx=_raising(error)).resolve("xx://a")
    assert caught.value is error


def test_any_other_failure_of_a_resolver_is_one_sentence_without_its_text() -> None:
    with pytest.raises(BadArgument) as caught:
        resolvers(xx=_raising(OSError("/home/someone/secret\nis gone"))).resolve("xx://a")
    assert str(caught.value) == "The resolver of xx:// failed on xx://a: OSError"
    assert isinstance(caught.value.__cause__, OSError)


def _late(url: str) -> Any:
    yield Virtual(url, "text")
    raise KeyError(url)


@pytest.mark.parametrize(
    ("resolver", "kind"),
    [
        (lambda _: None, "TypeError"),
        (lambda _: "note.md", "it returned str"),
        (lambda _: [Backed("a.md"), "note.md"], "it returned str"),
        (_late, "KeyError"),
    ],
)
def test_a_resolver_that_answers_with_something_else_has_failed(resolver: Callable[[str], Any], kind: str) -> None:
    with pytest.raises(BadArgument) as caught:
        resolvers(xx=resolver).resolve("xx://a")
    assert str(caught.value) == f"The resolver of xx:// failed on xx://a: {kind}"


def test_an_interrupt_is_not_swallowed() -> None:
    with pytest.raises(KeyboardInterrupt):
        resolvers(xx=_raising(KeyboardInterrupt())).resolve("xx://a")


def test_several_threads_register_and_no_resolver_is_lost() -> None:
    made = Resolvers()
    start = Barrier(8)

    def register(thread: int) -> None:
        start.wait()
        for number in range(50):
            made.register(f"s{thread}-{number}", echo)

    threads = [Thread(target=register, args=(thread,)) for thread in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for thread_number in range(8):
        for number in range(50):
            assert made.resolve(f"s{thread_number}-{number}://") == [Virtual(f"s{thread_number}-{number}://", "text")]
