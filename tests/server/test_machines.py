"""Two machines behind nginx, as docs/examples/nginx.conf has it; `benchmarks/machines.py` is the long form."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx2
import pytest
import yaml

from benchmarks.balanced import EXAMPLE, MACHINE, NGINX, PUBLIC, Machine, balanced, documented
from benchmarks.machines import PHASES, Asked, RunLog, host, moves, run, table
from tests.server.serving import ACCEPT, INITIALIZE, WITHIN
from vaulttools.cli import serve

needs_nginx = pytest.mark.skipif(NGINX is None, reason="needs nginx: apt-get install nginx-light")

VAULTS = 4

ANSWERS = 6
"""Answers that each vault gives in a phase, over REST and MCP, before the next begins."""


async def _until_all_vaults_have_answered(log: RunLog) -> None:
    """While one machine is gone, by the other; afterwards, by the machine that they had before."""
    is_one = log.phase == PHASES[1]
    while True:
        log.changed.clear()
        answers = Counter(
            each.vault
            for each in log.of(log.phase)
            if (each.machine != log.gone if is_one else each.machine == log.homes.get(each.vault, each.machine))
        )
        if len(answers) == VAULTS and min(answers.values()) >= ANSWERS:
            return
        await log.changed.wait()


class Host(NamedTuple):
    url: str
    machines: Sequence[Machine]
    vaults: Path
    tokens: Mapping[str, str]
    """The token of each vault."""

    def ask(self, path: str, vault: str, method: str = "GET", **given: Any) -> httpx2.Response:
        """The answer to a request with the token of a vault, which has the header `MACHINE`."""
        headers = {"Host": urlsplit(PUBLIC).netloc, "Authorization": f"Bearer {self.tokens[vault]}"}
        headers |= given.pop("headers", {})
        return httpx2.request(method, self.url + path, verify=False, headers=headers, timeout=WITHIN, **given)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("two")
    vaults, file, tokens = host(folder, VAULTS, 10)
    with balanced(folder, vaults, file) as (url, machines):
        yield Host(url, machines, vaults, tokens)


@needs_nginx
@pytest.mark.parametrize(
    "paths",
    [
        ["/v/{0}/vault/", "/v/{0}/mcp", "/v/{0}/tags/?a=/v/b/", "/v/%76{1}/%6dcp", "//v//{0}//mcp", "/v/{0}/x/../"],
        ["/ui/", "/v/{0}/ui/", "/ui/login", "/v/{0}/ui", "/ui/static/page.css"],
        ["/mcp", "/vault/", "/tags/"],
    ],
    ids=["of a vault", "of a browser", "of a token"],
)
def test_the_same_machine_answers_all_paths(two: Host, paths: list[str]) -> None:
    for vault in two.tokens:
        machines = {two.ask(path.format(vault, vault[1:]), vault).headers[MACHINE] for path in paths}
        assert len(machines) == 1 and ", " not in machines.pop()


@needs_nginx
def test_one_login_opens_the_pages_of_a_vault(two: Host) -> None:
    for vault, token in two.tokens.items():
        headers = {"Origin": PUBLIC, "Authorization": ""}
        answer = two.ask("/ui/login", vault, "POST", data={"token": token, "to": f"/v/{vault}/ui/"}, headers=headers)
        cookie = {"Cookie": answer.headers["Set-Cookie"].partition(";")[0], "Authorization": ""}
        assert two.ask(f"/v/{vault}/ui/", vault, headers=cookie).status_code == 200


@needs_nginx
def test_a_session_goes_on_behind_the_load_balancer(two: Host) -> None:
    for vault in two.tokens:
        for path in ("/mcp", f"/v/{vault}/mcp"):
            begun = two.ask(path, vault, "POST", json=INITIALIZE, headers=ACCEPT)
            headers = {**ACCEPT, "Mcp-Session-Id": begun.headers["mcp-session-id"]}
            listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
            assert '"tools":[' in two.ask(path, vault, "POST", json=listing, headers=headers).text


@needs_nginx
@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL"])
@pytest.mark.timeout(300)
def test_a_machine_that_goes_away_and_comes_back_costs_no_answer_and_moves_each_vault_once_each_way(
    two: Host, how: str
) -> None:
    asked = run(two.url, two.machines, two.vaults, two.tokens, _until_all_vaults_have_answered, how=how, pause=0.02)
    log = asyncio.run(asked)
    assert (log.wrong, log.failed) == ([], [])
    assert log.moves_twice(), (log.gone, log.moves(), log.homes)
    assert len(table(log, two.machines)) > 5


def _asked(*spans: tuple[float, float, str]) -> list[Asked]:
    return [Asked("v0", "read", start, end, machine, "both") for start, end, machine in spans]


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([], 0),
        ([(0, 1, "a"), (1, 2, "a")], 0),
        ([(0, 1, "a"), (2, 3, "b"), (4, 5, "a")], 2),
        # both were asked while it moved
        ([(0, 3, "a"), (1, 2, "b"), (4, 5, "b")], 1),
        ([(0, 3, "b"), (1, 2, "a"), (4, 5, "b")], 1),
        ([(0, 1, "a"), (2, 9, "a"), (3, 4, "b"), (5, 6, "b"), (10, 11, "a")], 2),
        ([(0, 1, "a"), (2, 3, "b"), (4, 5, "a"), (6, 7, "b")], 3),
    ],
)
def test_moves_are_counted_by_what_no_other_order_explains(
    spans: list[tuple[float, float, str]], expected: int
) -> None:
    assert moves(_asked(*spans)) == expected


def test_the_configuration_names_what_is_replaced_once() -> None:
    assert "10.0.0.1" not in documented({"10.0.0.1:27124": "127.0.0.1:1"})
    with pytest.raises(ValueError, match=r"does not hold 10\.0\.0\.9 once"):
        documented({"10.0.0.9": "127.0.0.1:1"})


def test_the_machines_for_kubernetes_are_those_of_the_page() -> None:
    """Nobody has tried them; but their options are understood, and the names in them agree."""
    written = list(yaml.safe_load_all(EXAMPLE.with_name("kubernetes.yaml").read_text(encoding="utf-8")))
    by_kind = {each["kind"]: each for each in written[:2]}
    service, machines = by_kind["Service"], by_kind["StatefulSet"]["spec"]
    (container,) = machines["template"]["spec"]["containers"]
    command, *words = container["args"]
    options = serve.parse(words, [])
    assert command == "serve" and options.tls == ("auto",) and options.vaults_root == "/srv/vaults"
    assert service["spec"]["ports"] == [{"port": options.port}] == [{"port": container["ports"][0]["containerPort"]}]
    assert machines["serviceName"] == service["metadata"]["name"]
    assert service["spec"]["selector"] == machines["template"]["metadata"]["labels"]
    mounted = {each["name"] for each in container["volumeMounts"]}
    volumes = [
        *machines["template"]["spec"]["volumes"],
        *(each["metadata"] for each in machines["volumeClaimTemplates"]),
    ]
    assert mounted == {each["name"] for each in volumes}


def test_the_machines_of_the_page_are_started_as_it_says() -> None:
    page = (EXAMPLE.parent.parent / "hosting.md").read_text("utf-8").replace("\\\n", "")
    (command,) = re.findall(r"(?m)^vaulttools serve (.* --trust-proxy .*)$", page)
    options = serve.parse(command.split(), [])
    assert (options.allow_origin, options.proxy) == ([PUBLIC], "10.0.0.9")
