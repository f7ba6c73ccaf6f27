"""Signing in for one vault of several, at `/v/NAME/mcp`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata
from pydantic import AnyUrl

from benchmarks.balanced import free_port
from tests.conftest import write_files
from tests.server.oauth.test_sign_in import Person, Storage
from tests.server.serving import http, run, text_of
from vaulttools.server.tokens import TokenFile


def test_a_program_that_signs_in_for_one_vault_sees_that_alone(tmp_path: Path) -> None:
    for name in ("a", "b c"):
        write_files(tmp_path / "vaults" / name, {"note.md": f"the needle of {name}\n"})
    tokens = TokenFile(tmp_path / "tokens.json")
    token = tokens.add("one", ["a", "b c"])
    origin = f"http://127.0.0.1:{free_port()}"
    words = ["serve", origin.removeprefix("http://"), "--oauth", origin, "--no-index", "--tools", "connector"]
    root = ["--vaults-root", str(tmp_path / "vaults"), "--tokens", str(tmp_path / "tokens.json")]
    storage, person = Storage(), Person(token, "the vault b c")
    metadata = OAuthClientMetadata(
        client_name="The SDK's client", redirect_uris=[AnyUrl("http://127.0.0.1:1/callback")]
    )
    address = f"{origin}/v/b%20c/mcp"
    signs = OAuthClientProvider(address, metadata, storage, person.redirected, person.came_back)

    async def called() -> Any:
        async with (
            httpx2.AsyncClient(auth=signs) as client,
            Client(streamable_http_client(address, http_client=client)) as session,
        ):
            found = await session.call_tool("search", {"query": "needle"})
            return found, await session.call_tool("fetch", {"id": "note.md"})

    with http(*words, *root, XDG_DATA_HOME=str(tmp_path / "data")):
        found, read = run(called)
        (result,) = found.structured_content["results"]
        assert (result["id"], result["url"]) == ("note.md", f"{origin}/v/b%20c/ui/note/note.md")
        assert "needle of b c" in text_of(read)
        assert httpx2.get(result["url"], headers={"Authorization": f"Bearer {token}"}).status_code == 200
        assert storage.tokens is not None
        bearer = {"Authorization": f"Bearer {storage.tokens.access_token}"}
        other = httpx2.post(f"{origin}/v/a/mcp", headers=bearer)
        assert other.status_code == 401 and other.headers["www-authenticate"].endswith('/v/a/mcp"')
        assert httpx2.post(f"{origin}/mcp", headers=bearer).status_code == 401
