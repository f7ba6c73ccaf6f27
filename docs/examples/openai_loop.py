"""A question answered from a vault by a model of OpenAI: python openai_loop.py QUESTION FOLDER MODEL."""

import json
import sys
from typing import Any

from openai import OpenAI

from vaulttools import Vault


def ask(question: str, folder: str, model: str) -> str:
    """The model's answer: it asks for tools until it knows enough."""
    client = OpenAI()
    messages: Any = [{"role": "user", "content": f"{question} (Give query other wordings of this in also.)"}]
    with Vault.open(folder) as vault:
        tools: Any = vault.tool_definitions("openai", ["query", "search_files", "read", "base", "tasks"])
        while True:
            reply = client.chat.completions.create(model=model, tools=tools, messages=messages).choices[0].message
            messages.append(reply)
            calls: list[Any] = [*(reply.tool_calls or ())]
            if not calls:
                return reply.content or ""
            for call in calls:
                result = vault.call(call.function.name, json.loads(call.function.arguments or "{}"))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result.text})


if __name__ == "__main__":
    print(ask(*sys.argv[1:]))
