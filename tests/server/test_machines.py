"""Two machines behind nginx, as docs/examples/nginx.conf has it; `benchmarks/machines.py` is the long form."""

from __future__ import annotations

import asyncio
import re
import signal
from collections import Counter
from pathlib import Path

import pytest
import yaml

from benchmarks.balanced import EXAMPLE, NGINX, PUBLIC, balanced, documented
from benchmarks.machines import PHASES, Asked, RunLog, host, moves, run, table
from vaulttools.cli import serve

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


@pytest.mark.skipif(NGINX is None, reason="needs nginx: apt-get install nginx-light")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["ends", "is killed"])
@pytest.mark.timeout(300)
def test_a_machine_that_goes_away_and_comes_back_costs_no_answer_and_moves_each_vault_once_each_way(
    tmp_path: Path, how: signal.Signals
) -> None:
    vaults, file, tokens = host(tmp_path, VAULTS, 10)
    with balanced(tmp_path, vaults, file) as (url, machines):
        log = asyncio.run(run(url, machines, vaults, tokens, _until_all_vaults_have_answered, how=how, pause=0.02))
    assert (log.wrong, log.failed) == ([], [])
    assert log.moves_twice(), (log.gone, log.moves(), log.homes)
    assert len(table(log, machines)) > 5


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
