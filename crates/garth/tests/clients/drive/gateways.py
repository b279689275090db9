"""Facts about a gateway: the tools and files of a workspace over HTTP."""

import json
from contextlib import asynccontextmanager

import anyio
import httpx2
import mcp_types as types
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from connection import MODES, STATELESS
from searches import FILES, PATTERN


@asynccontextmanager
async def connected(era, scene):
    """A client of a gateway, by a token."""
    headers = {"Authorization": f"Bearer {scene['token']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(scene["url"], http_client=http)
        async with Client(transport, mode=MODES[era]) as client:
            version = client.protocol_version
            assert (version == STATELESS) == (era == "stateless"), f"{era}: the server spoke {version}"
            yield client


async def answer(library, era, scene):
    """A client lists the tools and calls them, in both eras, by a token."""
    async with connected(era, scene) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == scene["tools"], names
        assert client.instructions == scene["instructions"], client.instructions
        written = await client.call_tool("write", {"file_path": "a.txt", "content": era})
        assert not written.is_error, written
        read = await client.call_tool("read", {"file_path": "a.txt"})
        assert read.content[0].text == f"1: {era}", read
        assert read.structured_content["path"] == "a.txt", read
        gone = await client.call_tool("read", {"file_path": "gone"})
        assert gone.is_error and gone.structured_content["code"] == "FILE_NOT_FOUND", gone


async def show_files(library, era, scene):
    """Files are resources: listed, read, named by a template, completed."""
    async with connected(era, scene) as client:
        for path, content in {"heron.txt": "grey\n", "nest/egg.txt": "blue\n"}.items():
            await client.call_tool("write", {"file_path": path, "content": content})
        listed = {str(one.uri): one for one in (await client.list_resources()).resources}
        assert {"workspace:///", "workspace:///heron.txt", "workspace:///nest"} <= set(listed), listed
        assert listed["workspace:///nest"].mime_type == "inode/directory", listed
        [template] = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "workspace:///{+path}", template
        [text] = (await client.read_resource("workspace:///heron.txt")).contents
        assert isinstance(text, types.TextResourceContents) and text.text == "grey\n", text
        [nest] = (await client.read_resource("workspace:///nest")).contents
        entries = json.loads(nest.text)["entries"]
        assert [entry["uri"] for entry in entries] == ["workspace:///nest/egg.txt"], entries
        for uri, name in {
            "workspace:///missing": "FILE_NOT_FOUND",
            "file:///etc/passwd": "INVALID_PATH",
        }.items():
            try:
                await client.read_resource(uri)
            except MCPError as error:
                assert error.error.data["code"] == name, error.error
            else:
                raise AssertionError(f"{uri} was read")
        ref = types.ResourceTemplateReference(uri=template.uri_template)
        for typed, values in {"he": ["heron.txt"], "nest/": ["nest/egg.txt"], "../": []}.items():
            completed = await client.complete(ref, {"name": "path", "value": typed})
            assert completed.completion.values == values, f"{typed!r}: {completed}"


async def tell_progress(library, era, scene):
    """A long search tells that it goes on, and is given up with its client."""
    async with connected(era, scene) as client:
        for path, content in FILES.items():
            await client.call_tool("write", {"file_path": path, "content": content})
        told = []
        with anyio.CancelScope() as scope:

            async def hear(progress, total=None, message=None):
                told.append(progress)
                if len(told) >= 2:
                    scope.cancel()

            result = await client.call_tool("grep", {"pattern": PATTERN}, progress_callback=hear)
            raise AssertionError(f"the search ended, told {told}: {result.content}")
        assert told[0] < told[1], told
