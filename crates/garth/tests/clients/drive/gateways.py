"""Facts about a gateway: the tools of a workspace over HTTP."""

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from connection import MODES, STATELESS


async def answer(library, era, scene):
    """A client lists the tools and calls them, in both eras, by a token."""
    headers = {"Authorization": f"Bearer {scene['token']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(scene["url"], http_client=http)
        async with Client(transport, mode=MODES[era]) as client:
            version = client.protocol_version
            assert (version == STATELESS) == (era == "stateless"), f"{era}: the server spoke {version}"
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == scene["tools"], names
            written = await client.call_tool("write", {"file_path": "a.txt", "content": era})
            assert not written.is_error, written
            read = await client.call_tool("read", {"file_path": "a.txt"})
            assert read.content[0].text == f"1: {era}", read
            assert read.structured_content["path"] == "a.txt", read
            gone = await client.call_tool("read", {"file_path": "gone"})
            assert gone.is_error and gone.structured_content["code"] == "FILE_NOT_FOUND", gone
