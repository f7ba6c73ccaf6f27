"""Frontmatter: the place of a block (rule-P01, fault-Y13), what it holds, and that nothing in it does harm (fault-Y01
to fault-Y15)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from vaulttools.notes.properties import numerals, safe_yaml
from vaulttools.notes.properties.frontmatter import MAX_BYTES, FrontmatterBlock, Properties, load, split
from vaulttools.notes.properties.numerals import Numeral


def properties(yaml_lines: str) -> Properties:
    block = split(f"---\n{yaml_lines}\n---\nbody\n")
    assert block is not None
    return load(block)


def values(yaml_lines: str) -> dict[str, object]:
    return dict(properties(yaml_lines).values)


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("---\na: 1\n---\nbody\n", FrontmatterBlock("a: 1\n", 3)),
        ("---\na: 1\n...\nbody\n", FrontmatterBlock("a: 1\n", 3)),
        ("---\na: 1\n---", FrontmatterBlock("a: 1\n", 3)),
        ("---\n---\n", FrontmatterBlock("", 2)),
        ("--- \t\na: 1\n---  \nbody", FrontmatterBlock("a: 1\n", 3)),
        ("---\r\na: 1\r\nb: 2\r\n---\r\nbody\r\n", FrontmatterBlock("a: 1\r\nb: 2\r\n", 4)),
        ("\ufeff---\na: 1\n---\n", FrontmatterBlock("a: 1\n", 3)),
        ("---\na: |\n  ---\n---\n", FrontmatterBlock("a: |\n  ---\n", 4)),
        ("---\na: 1\n----\n--- b\n---\n", FrontmatterBlock("a: 1\n----\n--- b\n", 5)),
    ],
)
def test_rule_P01_a_block_lies_between_exact_fences(text: str, block: FrontmatterBlock) -> None:
    assert split(text) == block
    assert block.body_line == block.end_line + 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "body\n",
        "---\na: 1\nno closing fence\n",
        "----\na: 1\n----\n",
        " ---\na: 1\n---\n",
        "\n---\na: 1\n---\n",
        "text\n---\na: 1\n---\n",
        "---\na: 1\n ---\n",
        "---yaml\na: 1\n---\n",
        "--- a: 1\n---\n",
        "---\ra: 1\r---\r",
        "---\u2028a: 1\u2028---\u2028",
        "---\na: 1\n---\r",
    ],
)
def test_fault_Y13_anything_else_is_no_block(text: str) -> None:
    assert split(text) is None


BOMB = "a0: &a0 [x, x]\n" + "\n".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10))
NOT_READ = "frontmatter is larger than 64 KiB and was not read"
NO_MAPPING = "not readable as properties: mapping values are not allowed in this context"
REFUSED = {
    "fault-Y01 an alias bomb": (
        BOMB,
        "frontmatter line 4: not readable as properties: aliases expand to more than 100 values",
    ),
    "fault-Y04 brackets": ("a: [" + "[" * 60_000, "frontmatter line 2: brackets are nested deeper than 64"),
    "fault-Y04 lists": ("- " * 70, "frontmatter line 2: not readable as properties: nested deeper than 64 levels"),
    "fault-Y08 a list": ("- a\n- b", "frontmatter is a list"),
    "fault-Y08 a flow list": ("[a, b]", "frontmatter is a list"),
    "fault-Y08 text": ("just text", "frontmatter is a single value"),
    "fault-Y08 a number": ("42", "frontmatter is a single value"),
    "fault-Y08 nothing": ("", "frontmatter is empty"),
    "fault-Y08 a comment": ("# a comment", "frontmatter is empty"),
    "fault-Y08 null": ("null", "frontmatter is empty"),
    "fault-Y09 the line counts from the top": ("a: 1\r\nb: ünï\r\nc: d: e", f"frontmatter line 4: {NO_MAPPING}"),
    "fault-Y15 many bytes": ("a: " + "x" * 5_000_000, NOT_READ),
    "fault-Y15 many bytes in few letters": ("a: " + "ü" * (MAX_BYTES // 2), NOT_READ),
    "fault-Y15 many lines": ("- a\n" * 2_001, "frontmatter is longer than 2,000 lines and was not read"),
}


@pytest.mark.parametrize(("lines", "warning"), REFUSED.values(), ids=REFUSED)
def test_faults_Y01_Y04_Y08_Y09_Y15_a_refused_block_is_one_warning(lines: str, warning: str) -> None:
    assert properties(lines) == Properties(warnings=(warning,))


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("!!python/object/apply:os.system ['touch {}']", ["touch {}"]),
        ("!!python/name:os.system", ""),
        ("!unknown text", "text"),
        ("!unknown {b: 1}", {"b": 1}),
    ],
)
def test_fault_Y02_a_tag_never_executes(line: str, value: object, tmp_path: Path) -> None:
    canary = str(tmp_path / "canary")
    if isinstance(value, list):
        line, value = line.format(canary), [f"touch {canary}"]
    result = properties(f"a: {line}\nb: 1")
    assert result.values == {"a": value, "b": 1}
    assert result.warnings == ("frontmatter line 2: an unknown tag was left out",)
    assert not Path(canary).exists()


def test_fault_Y03_deep_brackets_do_not_end_the_process() -> None:
    program = (
        "from vaulttools.notes.properties.frontmatter import FrontmatterBlock, load\n"
        "for deep in ('[' * 30000, '{a: ' * 15000, '- ' * 30000, '? ' * 30000, '{\"a\":' * 10000, '[\"]\",' * 9000):\n"
        "    for raw in (deep, 'a: ' + deep, deep.upper()):\n"
        "        result = load(FrontmatterBlock(raw, 3))\n"
        "        assert not result.values and len(result.warnings) == 1, result\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


TWICE = "a name appears twice; the last value counts"
IMPOSSIBLE = "frontmatter line 2: an impossible date is kept as text"
KEPT: dict[str, tuple[str, dict[str, object], tuple[str, ...]]] = {
    **{
        f"fault-Y05 {word}": (f"a: {word}", {"a": word}, (IMPOSSIBLE,))
        for word in (
            *("2024-02-30", "2023-02-29T10:00:00", "2024-01-05T25:00:00", "2024-01-05 10:61"),
            "2024-01-05T10:00:00+25:00",
        )
    },
    "fault-Y05 a huge number": (
        "a: " + "7" * 5_000,
        {"a": Numeral("7" * 5_000)},
        (),
    ),
    "fault-Y06 the line of a name": (
        "a: 1\nb:\n  c: 1\n  c: 2",
        {"a": 1, "b": {"c": 2}},
        (f"frontmatter line 5: {TWICE}",),
    ),
    "fault-Y09 a template keeps its other properties": (
        "title: {{title}}\ntags: [daily]",
        {"title": {"{title}": None}, "tags": ["daily"]},
        ("frontmatter line 2: a key is not plain text",),
    ),
    "fault-Y10 names become text": (
        "1: a\n'1': b\ntrue: c\n? [x, y]\n: d\n~: f\n?\n: e",
        {"1": "b", "true": "c", "[x, y]": "d", "~": "f", "null": "e"},
        (f"frontmatter line 3: {TWICE}", "frontmatter line 5: a key is not plain text"),
    ),
    "fault-Y11 a JSON block": (
        '{"a": NaN, "b": -Infinity, "c": "\\ud800", "d": 1.10, "e": 1e3}',
        {"a": None, "b": None, "c": "?", "d": Numeral("1.10"), "e": Numeral("1e3")},
        ("frontmatter: a number that JSON cannot hold became null",) * 2,
    ),
    "fault-Y12 a value that contains itself": (
        "a: &x [1, *x]\nb: &y {c: {d: *y}}",
        {"a": [1, "*x"], "b": {"c": {"d": "*y"}}},
        tuple(f"frontmatter line {line}: a value that contains itself was cut" for line in (2, 3)),
    ),
    "fault-Y04 merge keys are ordinary names": ("a: &x {b: 1}\n<<: *x", {"a": {"b": 1}, "<<": {"b": 1}}, ()),
    "fault-Y07 names stay text": (
        "on: 1\nno: 2\n2024-01-05: 3\n1.10: 4\n'': 5",
        {"on": 1, "no": 2, "2024-01-05": 3, "1.10": 4, "": 5},
        (),
    ),
    "a few aliases are expanded": (
        "a: &x [1, 2]\nb: *x\nc: {d: *x}",
        {"a": [1, 2], "b": [1, 2], "c": {"d": [1, 2]}},
        (),
    ),
    "JSON escapes beyond YAML": ('{"a": "\\ud83d\\ude00 \\/"}', {"a": "😀 /"}, ()),
}


@pytest.mark.parametrize(("lines", "found", "warnings"), KEPT.values(), ids=KEPT)
def test_faults_Y04_to_Y12_an_odd_block_keeps_its_values(
    lines: str, found: dict[str, object], warnings: tuple[str, ...]
) -> None:
    assert properties(lines) == Properties(found, warnings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "lines",
    ['{"a": [1, "x", null, {"b": true}]}', '{\n\t"a": [1,"x",null,{"b":true}]\n}', "{a: [1, x, null, {b: true}]}"],
)
def test_rule_P07_a_json_object_is_read(lines: str) -> None:
    assert properties(lines) == Properties({"a": [1, "x", None, {"b": True}]}, ())


@pytest.mark.parametrize(
    "lines", ["a: 1\nb: 2\na: 3", "a: 1\nb: 2\n'a': 3", '{"a": 1, "b": 2, "a": 3}', '{"a": 1, "b": 2,\n"a": 3, }']
)
def test_fault_Y06_the_last_of_two_equal_names_counts(lines: str) -> None:
    result = properties(lines)
    assert result.values == {"a": 3, "b": 2}
    assert [warning.split(": ", 1)[1] for warning in result.warnings] == ["a name appears twice; the last value counts"]


@pytest.mark.parametrize(
    ("word", "value"),
    [
        # Norway, sexagesimal, version: text (fault-Y07)
        *((word, word) for word in ("no", "yes", "on", "off", "y", "n", "No", "12:30:45", "1:30", "1.2.3")),
        *((word, word) for word in ("1_000", "0b11", "0X1F", "-0x1F", "NaN", "Infinity", "inf", "+", ".")),
        ("1.1", 1.1),
        ("-12", -12),
        ("0", 0),
        ("9223372036854775807", 9223372036854775807),
        ("true", True),
        ("FALSE", False),
        ("True", True),
        ("tRue", "tRue"),
        # empty is not "" and not [] (rule-S36)
        ("", None),
        ("~", None),
        ("null", None),
        ('""', ""),
        ("[]", []),
        ('"null"', "null"),
        ('"1"', "1"),
        ("! 1", "1"),
        ("!!str 1", "1"),
        ("!!int '1'", 1),
        # dates as written
        ("2024-01-05", "2024-01-05"),
        ("2024-01-05T10:30:00", "2024-01-05T10:30:00"),
        ("2024-01-05 10:30:00 +02:00", "2024-01-05 10:30:00 +02:00"),
        ("2024-01-05 was a Friday", "2024-01-05 was a Friday"),
        # values that vaults hold
        ("#foo", None),
        ("[[Note]]", [["Note"]]),
        ('"[[Note]]"', "[[Note]]"),
        ("[a, b]", ["a", "b"]),
        ("|\n  x\n  y", "x\ny\n"),
        ("{b: {c: d}}", {"b": {"c": "d"}}),
        ("héllo 😀", "héllo 😀"),
    ],
)
def test_fault_Y07_a_value_is_what_was_written(word: str, value: object) -> None:
    found = values(f"a: {word}")["a"]
    assert properties(f"a: {word}").warnings == ()
    assert (type(found), found) == (type(value), value)


def test_fault_Y06_many_warnings_are_counted() -> None:
    warnings = properties("a: 1\n" * 1_030).warnings
    assert (len(warnings), warnings[-1]) == (21, "frontmatter: 1,009 more warnings")


BROKEN = [
    "title: Foo: bar", "a: @me", "a: `b`", "a: %x", "%x", "\ta: 1", "a:\n\t- b", "a: b: c",
    "up: [[A|B]], [[C]]", "a: [b", "a: {b", "a: ]", "a: }", 'a: "b', "a: 'b", 'a: "b" c', "a: 'b' c",
    'a: "\\x"', 'a: "\\ud800"', "a\nb: 1", "a: 1\nb", "a: 1\n b: 2", "a: [1\n  - b", "- a\nb: 1", "a: 1\n- b",
    "a: *x", "a: &", "a: *", "a: !<x", "a: !x!y z", "a: |x\n  y", "a: >0\n  y", "? a\n b: c\n", ": : :",
    "a: - b", "a: b\n...\nc: d", "--- \na: 1\n--- \nb: 2", "a: ,", "a: [,]", '{"a": 1,, "b": 2}',
    "a: 1\n--- x",
]  # fmt: skip


@pytest.mark.parametrize("lines", BROKEN)
def test_fault_Y09_a_broken_block_is_one_warning_with_a_line(lines: str) -> None:
    result = load(FrontmatterBlock(f"ok: 1\n{lines}\n", 9))
    assert result.values == {}
    (warning,) = result.warnings
    assert warning.startswith("frontmatter line ")


@pytest.mark.parametrize(
    ("word", "value"),
    [
        (".nan", ".nan"),
        (".inf", ".inf"),
        ("-.INF", "-.INF"),
        ("1e400", "1e400"),
        ("12.50", 12.5),
        ("[007, {b: 1e3}]", [7, {"b": 1000}]),
        ("-12345678901234567890", "-12345678901234567890"),
        ("!!binary aGk=", "aGk="),
        ("!!binary |\n  aG\n  k=", "aGk="),
        ("!!set {b, a}", ["a", "b"]),
        ("!!timestamp 2024-01-05", "2024-01-05"),
        ("!!omap [a: 1]", [{"a": 1}]),
        ("!!float '1.5'", 1.5),
    ],
)
def test_fault_Y11_values_are_safe_for_json(word: str, value: object) -> None:
    assert json.loads(json.dumps(numerals.plain(values(f"a: {word}")), allow_nan=False)) == {"a": value}


@pytest.mark.parametrize(
    "character", ["\x00", "\x07", "\x1b", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\ud800", "\r", "\uffff"]
)
def test_fault_Y14_a_control_character_is_replaced_and_reported(character: str) -> None:
    assert properties(f"a: 1\nb: x{character}y") == Properties(
        {"a": 1, "b": "x\ufffdy"}, ("frontmatter line 3: a control character or a foreign line end was replaced",)
    )


YAML_TEXT = st.lists(
    st.sampled_from(
        [
            "a", "b: ", "- ", "\n", "  ", "[", "]", "{", "}", ",", ":", "&x ", "*x", "!!set ", "? ", "'", '"',
            "|", ">", "#", "1", "é", "\t", "\r\n", "~", "---", "<<",
        ]
    ),
    max_size=60,
).map("".join)  # fmt: skip


@settings(max_examples=200)
@given(st.one_of(st.text(max_size=80), YAML_TEXT))
def test_loading_never_raises_and_is_always_safe_for_json(raw: str) -> None:
    result = load(FrontmatterBlock(raw, raw.count("\n") + 2))
    plain = numerals.plain(dict(result.values))
    assert json.loads(json.dumps(plain, allow_nan=False, ensure_ascii=False).encode()) == plain


@settings(max_examples=150)
@given(YAML_TEXT)
def test_both_parsers_of_pyyaml_are_usable(raw: str) -> None:
    try:
        loader = safe_yaml.PureLoader(raw)
        loader.get_single_data()
    except yaml.YAMLError:
        pass


# PyYAML writes some texts without quotation marks that are numbers in YAML 1.2, such as 0E0.
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.text(st.characters(codec="ascii"), max_size=9).filter(lambda text: numerals.read(text) is None),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=100)
@given(st.dictionaries(st.text("abcxyz", min_size=1, max_size=4), PLAIN, max_size=4))
def test_values_that_json_and_yaml_wrote_are_read_back(written: dict[str, object]) -> None:
    assert load(FrontmatterBlock(json.dumps(written), 3)).values == written
    assert load(FrontmatterBlock(yaml.safe_dump(written), 3)).values == written


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from(["---", "---  ", "...", "a: 1", "", " ---", "----", "x\u2028---"]), max_size=8),
    st.booleans(),
)
def test_a_scan_line_by_line_finds_the_same_block(lines: list[str], windows: bool) -> None:
    end = "\r\n" if windows else "\n"
    block = split(end.join(lines))
    closing = [n for n, line in enumerate(lines[1:], 2) if line.rstrip(" ") in ("---", "...")]
    expected = closing[0] if closing and lines[0].rstrip(" ") == "---" else None
    assert (block and block.end_line) == expected
    if block:
        assert block.raw == "".join(line + end for line in lines[1 : block.end_line - 1])
