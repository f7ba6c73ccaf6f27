"""Takes flags and options out of the words of a command line."""

from __future__ import annotations


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
        BadArgument: as `take_value`.
    """
    values: list[str] = []
    while (value := take_value(words, option)) is not None:
        values.append(value)
    return values
