"""Builds `dist/vaulttools-VERSION.mcpb`, a bundle that Claude Desktop installs by a double click.

`make bundle` runs it. If npm is installed, Anthropic's own tool checks the manifest and reads the bundle.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from described import REPOSITORY, bundle_project, entry_point, manifest

CHECKER = "@anthropic-ai/mcpb@2"


def main() -> None:
    """Build the bundle, check it, and print its path."""
    target = REPOSITORY / "dist" / f"vaulttools-{manifest()['version']}.mcpb"
    target.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        content = Path(folder) / "bundle"
        content.mkdir()
        write_content(content)
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(content.iterdir()):
                archive.write(path, path.name)
        checker = installed_checker(Path(folder) / "checker")
        if checker is None:
            print("The bundle was not checked: npm is not here, or cannot fetch the checker.")
        else:
            check(checker, content / "manifest.json", target, Path(folder) / "unpacked")
    print(f"{target.relative_to(REPOSITORY)}: {target.stat().st_size / 1000:.0f} kB")


def write_content(folder: Path) -> None:
    """Write the files of a bundle: the wheel, its manifest, and the program that starts it."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(REPOSITORY)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    [wheel] = folder.glob("*.whl")
    (folder / "manifest.json").write_text(json.dumps(manifest(), indent=2) + "\n", encoding="utf-8")
    (folder / "pyproject.toml").write_text(bundle_project(wheel.name), encoding="utf-8")
    (folder / "server.py").write_text(entry_point(), encoding="utf-8")
    for name in ("LICENSE", "THIRD-PARTY-LICENSES.txt"):
        shutil.copy(REPOSITORY / name, folder)


def installed_checker(folder: Path) -> Path | None:
    """Install Anthropic's tool into a folder and return its path; None if that fails."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    install = [npm, "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(folder), CHECKER]
    try:
        subprocess.run(install, check=True, stderr=subprocess.DEVNULL, timeout=60)  # offline npm retries for long
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    return folder / "node_modules" / ".bin" / ("mcpb.cmd" if sys.platform == "win32" else "mcpb")


def check(checker: Path, written: Path, bundle: Path, unpacked: Path) -> None:
    """Let the tool read the manifest and the bundle."""
    subprocess.run([checker, "validate", str(written)], check=True)
    subprocess.run([checker, "unpack", str(bundle), str(unpacked)], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
