"""Runs the steps of the Dockerfile in a root file system with Python and pip, for machines without Docker.

As root, with an empty Debian as the image:

    debootstrap --variant=minbase --include=python3,python3-pip,python3-venv,ca-certificates trixie /tmp/root
    python distribution/rehearse.py /tmp/root

Both stages share one root, so `COPY --from` does nothing. The last lines of the output are the server's answer to a
client's first message, as the user that the Dockerfile names.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}


def steps(text: str) -> Iterator[tuple[str, str]]:
    """Yield the instructions of a Dockerfile with their arguments, in order."""
    for line in text.replace("\\\n", " ").splitlines():
        if line and not line.startswith("#"):
            name, _, argument = line.partition(" ")
            yield name, argument


def main(root: Path) -> None:
    """Run all steps, then start the result."""
    # The image's pip may write where Debian's refuses to; this machine's own settings say where its registry is.
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin",
        "PIP_BREAK_SYSTEM_PACKAGES": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
    }
    environment |= {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))}
    folder, user, entry = "/", "0", []
    for name, argument in steps((REPOSITORY / "Dockerfile").read_text(encoding="utf-8")):
        start = time.monotonic()
        match name:
            case "FROM":
                folder = "/"
            case "WORKDIR":
                folder = argument
                (root / argument.lstrip("/")).mkdir(parents=True, exist_ok=True)
            case "COPY" if not argument.startswith("--from="):
                *sources, target = argument.split()
                for source in sources:
                    copied = root / folder.lstrip("/") / target / (source if target.endswith("/") else "")
                    copy = shutil.copytree if (REPOSITORY / source).is_dir() else shutil.copy
                    copy(REPOSITORY / source, copied)
            case "RUN":
                subprocess.run(inside(root, folder, "0", ["sh", "-euc", argument]), env=environment, check=True)
            case "ENV":
                key, value = re.fullmatch(r"(\w+)=(.*)", argument).groups()  # type: ignore[union-attr]
                environment[key] = value
            case "USER":
                user = argument
            case "ENTRYPOINT" | "CMD":
                entry += json.loads(argument)
        print(f"{time.monotonic() - start:6.1f} s  {name} {argument}", flush=True)
    vault = root / "vault"
    shutil.copytree(REPOSITORY / "fixtures" / "vault", vault, dirs_exist_ok=True)
    start = time.monotonic()
    answered = subprocess.run(
        inside(root, "/", user, entry),
        env={name: value for name, value in environment.items() if not name.startswith("PIP_")},
        input=json.dumps(HELLO) + "\n",
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        check=True,
    )
    print(f"{time.monotonic() - start:6.1f} s  {json.loads(answered.stdout)['result']['serverInfo']}")


def inside(root: Path, folder: str, user: str, words: list[str]) -> list[str]:
    """Return the command that runs the words in a folder of the root, as a user."""
    return ["chroot", f"--userspec={user}:{user}", str(root), "sh", "-c", 'cd "$0" && exec "$@"', folder, *words]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
