"""Makes `THIRD-PARTY-LICENSES.txt`: the works of others in the wheel and the source archive.

`docs/generate.py` writes the file and checks it. A file of the package that is neither ours nor listed here is an
error, so that nothing is shipped without its licence.

Only npm knows the contents of mermaid.min.js. After an update of Mermaid, gather its licences again:

    npm install --ignore-scripts --prefix /tmp/gathered mermaid@VERSION
    python distribution/licences.py /tmp/gathered/node_modules > distribution/mermaid-licences.txt
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Shipped:
    """A work of others: its name, its files in the repository, and the files with its licence."""

    name: str
    address: str
    licence: str
    """SPDX identifier."""
    paths: tuple[str, ...]
    texts: tuple[str, ...]
    version: tuple[str, str] = ("", "")
    """A file, and a regex whose group matches the version in it."""


_STATIC: Final = "vaulttools/server/page/static"

SHIPPED: Final = (
    Shipped(
        "highlight.js",
        "https://highlightjs.org",
        "BSD-3-Clause",
        (f"{_STATIC}/highlight/highlight.min.js",),
        (f"{_STATIC}/highlight/LICENSE",),
        (f"{_STATIC}/highlight/highlight.min.js", r"Highlight\.js v([\d.]+)"),
    ),
    Shipped(
        "Lucide, icons of callouts",
        "https://lucide.dev",
        "ISC AND MIT",
        (f"{_STATIC}/lucide/*.svg",),
        (f"{_STATIC}/lucide/LICENSE",),
        (f"{_STATIC}/lucide/check.svg", r"lucide-static v([\d.]+)"),
    ),
    Shipped(
        "Mermaid, and the packages in its file",
        "https://mermaid.js.org",
        "MIT; the packages' own below",
        (f"{_STATIC}/mermaid/mermaid.min.js",),
        (f"{_STATIC}/mermaid/LICENSE", "distribution/mermaid-licences.txt"),
        (f"{_STATIC}/mermaid/mermaid.min.js", r'version:"(11\.[\d.]+)"'),
    ),
    Shipped(
        "SCOWL, English words",
        "http://wordlist.aspell.net",
        "LicenseRef-SCOWL",
        ("vaulttools/ranked/english_common.txt", "vaulttools/ranked/english_words.txt"),
        ("vaulttools/ranked/english_words.LICENSE",),
        ("vaulttools/ranked/english_words.LICENSE", r"SCOWL ([\d.]+),"),
    ),
    Shipped(
        "BERT, the vocabulary of bert-base-uncased",
        "https://github.com/google-research/bert",
        "Apache-2.0",
        ("vaulttools/meaning/vocabulary.txt",),
        ("vaulttools/meaning/vocabulary.LICENSE",),
    ),
    Shipped(
        "OpenCC, traditional and simplified characters",
        "https://github.com/BYVoid/OpenCC",
        "Apache-2.0",
        ("vaulttools/core/folding/simplified.txt",),
        ("vaulttools/core/folding/simplified.LICENSE",),
        ("vaulttools/core/folding/simplified.LICENSE", r"OpenCC ([\d.]+):"),
    ),
)

OURS: Final = frozenset((
    *("vaulttools/py.typed", "vaulttools/methods.pyi", f"{_STATIC}/icon.svg", f"{_STATIC}/mermaid/frame.js"),
    *(f"{_STATIC}/{name}.js" for name in ("code", "diagrams", "map", "page", "preview")),
    *(f"{_STATIC}/{name}.css" for name in ("map", "page")),
))  # fmt: skip
"""Our own files of the package, besides Python and templates."""

_RULE: Final = "=" * 100

_HEAD: Final = """\
vaulttools is under the MIT licence, see LICENSE. It ships these works of others, under their own licences.
`distribution/licences.py` makes this file. Packages that are installed beside vaulttools (the dependencies in
pyproject.toml) bring their licences themselves.
"""

_TESTED: Final = """\
In the source archive alone, for its tests: fixtures/bases/expressions.json and fixtures/cases/obsidian-links.json hold
values that Obsidian computed, recorded by callumalpass/obsidian-bases-expression (MIT, Copyright (c) 2026 Callum
Alpass).
"""


def text() -> str:
    """Return the whole file. Raises `ValueError` with the names of shipped files that nobody has listed."""
    if unknown := sorted(_unknown()):
        raise ValueError(f"neither ours nor in SHIPPED of distribution/licences.py: {', '.join(unknown)}")
    rows = [f"- {_titled(work)}, {work.licence}: {', '.join(work.paths)}" for work in SHIPPED]
    parts = [_HEAD, "\n".join(rows) + "\n", _TESTED]
    for work in SHIPPED:
        texts = "\n\n".join((REPOSITORY / name).read_text(encoding="utf-8").strip() for name in work.texts)
        parts.append(f"{_RULE}\n{_titled(work)}\n{work.address}\n{_RULE}\n\n{texts}\n")
    return "\n".join(parts)


def _titled(work: Shipped) -> str:
    name, pattern = work.version
    if not name:
        return work.name
    found = re.search(pattern, (REPOSITORY / name).read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{name} does not tell its version")
    return f"{work.name} ({found[1]})"


def _unknown() -> Iterator[str]:
    """Yield the files of the package that are not our code and that no entry names."""
    known = {*OURS, *(name for work in SHIPPED for name in work.texts)}
    known |= {
        path.relative_to(REPOSITORY).as_posix()
        for work in SHIPPED
        for pattern in work.paths
        for path in REPOSITORY.glob(pattern)
    }
    for path in (REPOSITORY / "vaulttools").rglob("*"):
        name = path.relative_to(REPOSITORY).as_posix()
        if path.is_file() and path.suffix not in (".py", ".pyc", ".html") and name not in known:
            yield name


def gathered(modules: Path) -> str:
    """Return the licences of all packages in a `node_modules`, each text once, after the packages that have it."""
    groups: dict[str, tuple[list[str], str]] = {}
    for manifest in sorted(modules.rglob("package.json")):
        folder = manifest.parent
        if not re.search(r"node_modules/(@[^/]+/)?[^/]+$", folder.as_posix()):
            continue  # such a file inside a package describes how a part of it is loaded
        about = json.loads(manifest.read_text(encoding="utf-8"))
        if about["name"].startswith("@types/") or about["name"] == "mermaid":
            continue  # types are not in the file; Mermaid's own licence has its own entry
        texts = "\n\n".join(_licence_texts(folder))
        owners = [line.strip() for line in texts.splitlines() if _OWNER.match(line)]
        rest = "\n".join(line for line in texts.splitlines() if not _OWNER.match(line)).strip()
        names, _ = groups.setdefault(re.sub(r"\W+", " ", rest).casefold(), ([], rest))
        names.append(f"{about['name']}: {'; '.join(owners)}".removesuffix(": "))
    return "\n\n".join("\n".join(names) + f"\n\n{rest}" for names, rest in groups.values()) + "\n"


_OWNER: Final = re.compile(r"\s*(?:Copyright(?! notice| owner| and| license| \[)|\([cC]\) \d|© \d)")


def _licence_texts(folder: Path) -> Iterator[str]:
    """Yield the licence of one package: its own files, or else the section of its README."""
    found = [
        path for path in sorted(folder.iterdir()) if re.fullmatch(r"(?i)(licen[sc]e|notice)(\.md|\.txt)?", path.name)
    ]
    for path in found:
        yield path.read_text(encoding="utf-8").strip()
    if not found:
        page = (folder / "README.md").read_text(encoding="utf-8")
        yield page.partition("## License")[2].strip()


if __name__ == "__main__":
    sys.stdout.write(gathered(Path(sys.argv[1])))
