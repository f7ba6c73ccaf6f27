"""A question answered from a vault by a model of Anthropic: it asks for tools until it knows enough."""

from anthropic import Anthropic

from vaulttools import Vault


def ask(question: str, folder: str, model: str) -> str:
    """The model's answer."""
    client = Anthropic()
    messages = [{"role": "user", "content": question}]
    with Vault.open(folder) as vault:
        tools = vault.tool_definitions("anthropic")
        while True:
            reply = client.messages.create(model=model, max_tokens=4096, tools=tools, messages=messages)
            messages.append({"role": "assistant", "content": reply.content})
            if reply.stop_reason != "tool_use":
                return "".join(block.text for block in reply.content if block.type == "text")
            results = []
            for block in reply.content:
                if block.type == "tool_use":
                    result = vault.call(block.name, block.input)
                    said = {"content": result.text, "is_error": result.is_error}
                    results.append({"type": "tool_result", "tool_use_id": block.id, **said})
            messages.append({"role": "user", "content": results})
