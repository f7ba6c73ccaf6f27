"""A question answered from a vault by a model of Anthropic: python anthropic_loop.py QUESTION FOLDER MODEL."""

import sys
from typing import Any

from anthropic import Anthropic

from vaulttools import Vault


def ask(question: str, folder: str, model: str) -> str:
    """The model's answer: it asks for tools until it knows enough."""
    client = Anthropic()
    messages: Any = [{"role": "user", "content": f"{question} (Give query other wordings of this in also.)"}]
    with Vault.open(folder) as vault:
        tools: Any = vault.tool_definitions("anthropic", ["query", "search_files", "read", "base", "tasks"])
        while True:
            reply = client.messages.create(model=model, max_tokens=4096, tools=tools, messages=messages)
            uses: list[Any] = [block for block in reply.content if block.type == "tool_use"]
            if not uses:
                return "".join(block.text for block in reply.content if block.type == "text")
            said = [(use.id, vault.call(use.name, use.input)) for use in uses]
            results = [{"tool_use_id": id_, "content": each.text, "is_error": each.is_error} for id_, each in said]
            messages.append({"role": "assistant", "content": reply.content})
            messages.append({"role": "user", "content": [{"type": "tool_result", **each} for each in results]})


if __name__ == "__main__":
    print(ask(*sys.argv[1:]))
