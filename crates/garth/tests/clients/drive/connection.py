"""One connection to a server, whichever client library makes it."""

from contextlib import asynccontextmanager

import anyio
import mcp_types as types
from mcp.client.subscriptions import listen

# The eras, and how the libraries call them. The stateless one is found by asking.
MODES = {"handshake": "legacy", "stateless": "auto"}
STATELESS = "2026-07-28"


class Result:
    def __init__(self, result):
        self.content = [
            block.model_dump(by_alias=True, exclude_none=True, mode="json") for block in result.content
        ]
        self.facts = result.structured_content
        self.is_error = bool(result.is_error)


class Connection:
    """What the facts ask of a client; the libraries differ in few places."""

    def __init__(self, library, era, client, heard):
        self.library = library
        self.era = era
        self.client = client
        self.heard = heard
        self.session = client.session

    async def tools(self):
        listed = await self.client.list_tools()
        return listed if self.library == "fastmcp" else listed.tools

    async def call(self, tool, arguments, on_progress=None):
        """What a call came to, with content and facts as they stood on the wire."""
        if self.library == "mcp":
            result = await self.client.call_tool(tool, arguments, progress_callback=on_progress)
            return Result(result)
        result = await self.client.call_tool(
            tool, arguments, progress_handler=on_progress, raise_on_error=False
        )
        # This library makes an object of the facts by the schema, and says nothing when it cannot.
        assert result.is_error or result.data is not None, "the schema is none that facts are read by"
        return Result(result)

    async def resources(self):
        listed = await self.client.list_resources()
        return listed if self.library == "fastmcp" else listed.resources

    async def templates(self):
        listed = await self.client.list_resource_templates()
        return listed if self.library == "fastmcp" else listed.resource_templates

    async def read(self, uri):
        contents = await self.client.read_resource(uri)
        return contents if self.library == "fastmcp" else contents.contents

    async def complete(self, template, argument, typed):
        ref = types.ResourceTemplateReference(uri=template)
        completed = await self.client.complete(ref, {"name": argument, "value": typed})
        return completed if self.library == "fastmcp" else completed.completion

    @asynccontextmanager
    async def following(self, uri):
        """Yields a function that waits for word of a change of the resource."""
        if self.era == "stateless":
            async with listen(self.session, resource_subscriptions=[uri]) as events:

                async def next_change():
                    async for event in events:
                        return str(event.uri)

                yield next_change
            return
        await self.session.subscribe_resource(uri)

        async def next_change():
            return await self.heard.receive()

        yield next_change
        await self.session.unsubscribe_resource(uri)


@asynccontextmanager
async def connect(library, era, command):
    """Starts the server and greets it in the way of an era."""
    send, heard = anyio.create_memory_object_stream(1000)

    async def hear(message):
        if isinstance(message, types.ResourceUpdatedNotification):
            await send.send(str(message.params.uri))

    client = clients()[library](MODES[era], command, hear)
    async with client:
        version = client.protocol_version
        assert (version == STATELESS) == (era == "stateless"), f"{era}: the server spoke {version}"
        yield Connection(library, era, client, heard)


def clients():
    return {"mcp": of_the_sdk, "fastmcp": of_fastmcp}


def of_the_sdk(mode, command, hear):
    from mcp import Client, StdioServerParameters

    server = StdioServerParameters(command=command[0], args=command[1:])
    return Client(server, mode=mode, message_handler=hear)


def of_fastmcp(mode, command, hear):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    transport = StdioTransport(command[0], command[1:], keep_alive=False)
    return Client(transport, mode=mode, message_handler=hear)
