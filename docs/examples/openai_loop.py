"""A question answered from a vault by a model of OpenAI: it asks for tools until it knows enough."""

import json

from openai import OpenAI

from vaulttools import Vault


def ask(question: str, folder: str, model: str) -> str:
    """The model's answer."""
    client = OpenAI()
    messages = [{"role": "user", "content": question}]
    with Vault.open(folder) as vault:
        tools = vault.tool_definitions("openai")
        while True:
            reply = client.chat.completions.create(model=model, tools=tools, messages=messages).choices[0].message
            messages.append(reply)
            if not reply.tool_calls:
                return reply.content or ""
            for call in reply.tool_calls:
                result = vault.call(call.function.name, json.loads(call.function.arguments or "{}"))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result.text})
