"""An agent on the Python SDK: it does what each line of a prompt says, and tells what came of it."""

import asyncio
import json
import sys

from acp import (
    Agent,
    InitializeResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PromptResponse,
    RequestError,
    run_agent,
    update_agent_message_text,
)
from acp.helpers import start_tool_call, update_tool_call
from acp.schema import AgentCapabilities, PermissionOption, ToolCallLocation, ToolCallUpdate


class Testy(Agent):
    def __init__(self):
        self.client = None
        self.sessions = {}
        self.cancelled = asyncio.Event()
        self.capabilities = None

    def on_connect(self, conn):
        self.client = conn

    async def initialize(self, protocol_version, client_capabilities=None, client_info=None, **rest):
        self.capabilities = client_capabilities
        return InitializeResponse(
            protocol_version=protocol_version, agent_capabilities=AgentCapabilities(load_session=True)
        )

    async def new_session(self, cwd, mcp_servers=None, **rest):
        name = f"s{len(self.sessions) + 1}"
        self.sessions[name] = (cwd, mcp_servers or [])
        return NewSessionResponse(session_id=name)

    async def load_session(self, cwd, session_id, mcp_servers=None, **rest):
        self.sessions[session_id] = (cwd, mcp_servers or [])
        await self.say(session_id, "loaded")
        return LoadSessionResponse()

    async def cancel(self, session_id, **rest):
        self.cancelled.set()

    async def say(self, session, text):
        await self.client.session_update(session, update_agent_message_text(text))

    async def prompt(self, prompt, session_id, **rest):
        for line in prompt[0].text.splitlines():
            verb, _, words = line.partition(" ")
            try:
                told = await getattr(self, verb)(session_id, words)
            except RequestError as error:
                told = f"error: {error}"
            if told is None:
                return PromptResponse(stop_reason="cancelled")
            await self.say(session_id, told)
        return PromptResponse(stop_reason="end_turn")

    async def where(self, session, words):
        return self.sessions[session][0]

    async def servers(self, session, words):
        return json.dumps([server.model_dump(exclude_none=True) for server in self.sessions[session][1]])

    async def can(self, session, words):
        files = self.capabilities.fs
        return json.dumps([files.read_text_file, files.write_text_file, self.capabilities.terminal])

    async def read(self, session, words):
        place = ToolCallLocation(path=words)
        await self.client.session_update(
            session, start_tool_call("call-1", "Read", kind="read", status="pending", locations=[place])
        )
        answer = await self.client.read_text_file(path=words, session_id=session)
        await self.client.session_update(session, update_tool_call("call-1", status="completed"))
        return answer.content

    async def write(self, session, words):
        path, _, content = words.partition(" ")
        await self.client.write_text_file(path=path, content=content, session_id=session)
        return "written"

    async def run(self, session, words):
        made = await self.client.create_terminal(session_id=session, command="sh", args=["-c", words])
        name = made.terminal_id
        ended = await self.client.wait_for_terminal_exit(session_id=session, terminal_id=name)
        shown = await self.client.terminal_output(session_id=session, terminal_id=name)
        await self.client.release_terminal(session_id=session, terminal_id=name)
        return f"{ended.exit_code} {shown.output.strip()}"

    async def stop(self, session, words):
        made = await self.client.create_terminal(session_id=session, command="sleep", args=["1000"])
        name = made.terminal_id
        await self.client.kill_terminal(session_id=session, terminal_id=name)
        ended = await self.client.wait_for_terminal_exit(session_id=session, terminal_id=name)
        await self.client.release_terminal(session_id=session, terminal_id=name)
        return f"killed: {ended.signal or ended.exit_code}"

    async def ask(self, session, words):
        options = [
            PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
            PermissionOption(option_id="no", name="No", kind="reject_once"),
        ]
        call = ToolCallUpdate(tool_call_id="call-2", title="Write", kind="edit")
        answer = await self.client.request_permission(session_id=session, tool_call=call, options=options)
        return getattr(answer.outcome, "option_id", "cancelled")

    async def wait(self, session, words):
        await self.say(session, "waiting")
        await self.cancelled.wait()
        return None

    async def die(self, session, words):
        sys.exit(3)


asyncio.run(run_agent(Testy(), use_unstable_protocol=True))
