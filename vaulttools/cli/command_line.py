"""Takes flags, options and the vault out of a command line; imports next to nothing."""

from __future__ import annotations

import os

OWN = ("daemon", "index", "init", "mcp", "serve")
"""Commands that are never handed over."""


def take_flag(words: list[str], flag: str) -> bool:
    """Whether the flag stands among the words before a `--`; it is taken out."""
    end = words.index("--") if "--" in words else len(words)
    if flag not in words[:end]:
        return False
    words.remove(flag)
    return True


def take_value(words: list[str], option: str) -> str | None:
    """The value of an option among the words before a `--`; both are taken out.

    Raises:
        BadArgument: the option is the last word.
    """
    end = words.index("--") if "--" in words else len(words)
    for index, word in enumerate(words[:end]):
        if word.startswith(f"{option}="):
            del words[index]
            return word.removeprefix(f"{option}=")
        if word == option:
            if index + 1 >= end:
                from vaulttools.errors import BadArgument

                raise BadArgument(f"{option} needs a value")
            value = words[index + 1]
            del words[index : index + 2]
            return value
    return None


def take_values(words: list[str], option: str) -> list[str]:
    """The values of an option that may be repeated, in order; they are taken out.

    Raises:
        BadArgument: it is the last word.
    """
    values: list[str] = []
    while (value := take_value(words, option)) is not None:
        values.append(value)
    return values


def take_vault(words: list[str]) -> str | None:
    """Remove the general options from `words`, and give the absolute folder of the one vault that the command means.

    None: it means no vault, or several, or is to run in this process.
    """
    if take_flag(words, "--no-index"):
        return None
    take_flag(words, "--json")
    try:
        if take_value(words, "--today") is not None:
            return None
        vaults = take_values(words, "--vault")
        here = os.getcwd()
    except Exception:
        return None  # an option without its value, or a folder that is gone: the command says so
    if len(vaults) > 1 or "" in vaults or not words or words[0] in OWN:
        return None
    vault = next(iter(vaults), None) or os.environ.get("VAULTTOOLS_VAULT") or nearest_vault(here)
    return None if vault is None else os.path.abspath(os.path.expanduser(vault))


def tool_meant(words: list[str]) -> tuple[str, list[str]]:
    """The tool that the first word names, with dashes or underscores, and the words behind it. A question without a
    command is one of `query`."""
    if " " in words[0].strip():
        return "query", words
    return words[0].replace("-", "_"), words[1:]


def quoted(word: str) -> str:
    """A word as every shell takes it, in quotes where it needs them."""
    if word and all(sign.isalnum() or sign in "-_./:=,@+~" for sign in word) and word[0] != "~":
        return word
    if not any(sign in word for sign in '"$`\\!%'):
        return f'"{word}"'
    return "'" + word.replace("'", "'\"'\"'") + "'"


def nearest_vault(here: str) -> str | None:
    """The nearest folder, `here` or above it, that is marked as a vault; never the root or the home folder."""
    folder = here
    while is_unnamed(folder) or not is_marked(folder):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return None
    return folder


MARK = "vaulttools.toml"
"""A file that marks the folder it lies in as a vault. It is not read: what lies in a vault configures nothing, since a
synced or prompted hand may have written it."""


def is_marked(folder: str) -> bool:
    """Whether a folder is a vault though nobody named it: it holds the settings of Obsidian or of SmartHole, or our
    mark."""
    settings = (os.path.join(folder, name) for name in (".obsidian", ".smarthole"))
    return os.path.isfile(os.path.join(folder, MARK)) or any(map(os.path.isdir, settings))


def is_unnamed(folder: str) -> bool:
    """Whether an absolute folder is a vault only when it is named: a search that was started in the wrong place must
    not read everything a person has."""
    return folder in (os.path.dirname(folder), os.path.realpath(os.path.expanduser("~")))
