"""What the SDK imports for clients: not before it is used."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from vaulttools.server.mcp.deferral import defer
defer()
from vaulttools.server.mcp import protocol, stdio, streamable
assert not {"mcp.client", "mcp.server.mcpserver", "httpx2"} & sys.modules.keys()
import mcp, mcp.server
from mcp.server import MCPServer
assert mcp.Client is sys.modules["mcp.client"].Client and mcp.server.Server is protocol.Server
assert not hasattr(mcp, "no such name")
defer()
assert sys.modules["mcp"] is mcp
"""


def test_packages_of_the_sdk_run_when_a_name_of_theirs_is_used() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], check=True)
