"""Removes flags, options and the vault from a command line; imports almost nothing."""

from __future__ import annotations

import os

OWN = ("daemon", "index", "init", "mcp", "obsidian", "serve")
"""Commands that always run in their own process."""


def take_flag(words: list[str], flag: str) -> bool:
    """Remove a flag from the words before a `--`; return whether it was there."""
    end = words.index("--") if "--" in words else len(words)
    if flag not in words[:end]:
        return False
    words.remove(flag)
    return True


def take_value(words: list[str], option: str) -> str | None:
    """Remove an option and its value from the words before a `--`; return the value, or None.

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
    """Remove all occurrences of an option; return the values in order.

    Raises:
        BadArgument: the option is the last word.
    """
    values: list[str] = []
    while (value := take_value(words, option)) is not None:
        values.append(value)
    return values


def take_vault(words: list[str]) -> str | None:
    """Remove the general options from `words`, and return the absolute folder of the vault that the command means.

    None: it means no vault or several, or must run in this process.
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
        return None  # an option lacks its value, or the folder is gone: the command reports it
    if len(vaults) > 1 or "" in vaults or not words or words[0] in OWN:
        return None
    vault = next(iter(vaults), None) or os.environ.get("VAULTTOOLS_VAULT") or nearest_vault(here)
    return None if vault is None else os.path.abspath(os.path.expanduser(vault))


def tool_meant(words: list[str]) -> tuple[str, list[str]]:
    """Returns the tool that the first word names, with dashes or underscores, and the other words. A quoted question
    without a command belongs to `query`."""
    if " " in words[0].strip():
        return "query", words
    return words[0].replace("-", "_"), words[1:]


def quoted(word: str) -> str:
    """Returns a word in a form that every shell of this system accepts, quoted if necessary."""
    return for_powershell(word) if os.name == "nt" else for_posix(word)


def for_posix(word: str) -> str:
    """Returns a word for the shells of Linux and macOS."""
    if word and all(sign.isalnum() or sign in "-_./:=,@+~" for sign in word) and word[0] not in "~=":
        return word  # zsh reads `=word` as the place of a command
    if not any(sign in word for sign in '"$`\\!%'):
        return f'"{word}"'
    return "'" + word.replace("'", "'\"'\"'") + "'"


def for_powershell(word: str) -> str:
    """Returns a word for PowerShell and, where it has no `"`, `$`, `%` or backtick, for `cmd` too.

    PowerShell before 7.3 drops each `"` in a word that it hands to a program, however that is written.
    """
    # A comma makes two words, `@` a variable. PowerShell takes typographic quotes for plain ones.
    if word and all(sign.isalnum() or sign in "-_./:=+\\" for sign in word):
        return word
    if not any(sign in word for sign in '"\u201c\u201d\u201e$`%'):
        return f'"{word}"'
    return "'" + "".join(sign * 2 if sign in "'\u2018\u2019\u201a\u201b" else sign for sign in word) + "'"


def nearest_vault(here: str) -> str | None:
    """Returns the nearest folder, `here` or above it, that is marked as a vault; never the root or the home folder."""
    folder = here
    while is_unnamed(folder) or not is_marked(folder):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return None
    return folder


MARK = "vaulttools.toml"
"""A file that marks its folder as a vault. Its contents are never read: files in a vault must not configure anything,
because a sync or an attacker may have written them."""


def is_marked(folder: str) -> bool:
    """Whether a folder is a vault even if nobody names it: it contains settings of Obsidian or SmartHole, or our
    mark."""
    settings = (os.path.join(folder, name) for name in (".obsidian", ".smarthole"))
    return os.path.isfile(os.path.join(folder, MARK)) or any(map(os.path.isdir, settings))


def is_unnamed(folder: str) -> bool:
    """Whether an absolute folder is a vault only if somebody names it: a search started in the wrong place must not
    read all files of a person."""
    alone = os.path.dirname(folder), os.path.realpath(os.path.expanduser("~"))
    return os.path.normcase(folder) in map(os.path.normcase, alone)  # on Windows a folder is entered in any case
