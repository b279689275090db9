"""A client on the Python SDK: it prompts an agent and tells what it answered, and what it asked for."""

import asyncio
import json
import sys

from acp import PROTOCOL_VERSION, Client, RequestError, spawn_agent_process, text_block
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    CreateTerminalResponse,
    FileSystemCapabilities,
    ReadTextFileResponse,
    ReleaseTerminalResponse,
    KillTerminalResponse,
    RequestPermissionResponse,
    TerminalOutputResponse,
    WaitForTerminalExitResponse,
    WriteTextFileResponse,
)

scene = json.loads(sys.argv[1])


class Editor(Client):
    def __init__(self):
        self.buffers = dict(scene["buffers"])
        self.asked = []
        self.said = []
        self.running = {}
        self.waiting = asyncio.Event()

    async def session_update(self, session_id, update, **rest):
        text = getattr(getattr(update, "content", None), "text", None)
        if text is not None:
            self.said.append(text)
            if text == "waiting":
                self.waiting.set()

    async def request_permission(self, options, session_id, tool_call, **rest):
        self.asked.append("permission")
        return RequestPermissionResponse(outcome=AllowedOutcome(option_id=options[0].option_id, outcome="selected"))

    async def read_text_file(self, path, session_id, limit=None, line=None, **rest):
        self.asked.append(f"read {path}")
        if path not in self.buffers:
            raise RequestError.resource_not_found(path)
        return ReadTextFileResponse(content=self.buffers[path])

    async def write_text_file(self, content, path, session_id, **rest):
        self.asked.append(f"write {path}")
        self.buffers[path] = content
        return WriteTextFileResponse()

    async def create_terminal(self, command, session_id, args=None, cwd=None, env=None, output_byte_limit=None, **rest):
        self.asked.append(f"run {command}")
        name = f"t{len(self.running)}"
        self.running[name] = await asyncio.create_subprocess_exec(
            command, *(args or []), stdout=asyncio.subprocess.PIPE, cwd=cwd
        )
        return CreateTerminalResponse(terminal_id=name)

    async def terminal_output(self, session_id, terminal_id, **rest):
        printed = await self.running[terminal_id].stdout.read()
        return TerminalOutputResponse(output=printed.decode(), truncated=False)

    async def wait_for_terminal_exit(self, session_id, terminal_id, **rest):
        code = await self.running[terminal_id].wait()
        if code < 0:
            return WaitForTerminalExitResponse(signal=str(-code))
        return WaitForTerminalExitResponse(exit_code=code)

    async def kill_terminal(self, session_id, terminal_id, **rest):
        self.running[terminal_id].kill()
        return KillTerminalResponse()

    async def release_terminal(self, session_id, terminal_id, **rest):
        return ReleaseTerminalResponse()


async def main():
    editor = Editor()
    told = {}
    command, *arguments = scene["command"]
    files = FileSystemCapabilities(read_text_file=scene["fs"], write_text_file=scene["fs"])
    limits = {"limit": 50 * 1024 * 1024}
    async with spawn_agent_process(
        editor, command, *arguments, transport_kwargs=limits, use_unstable_protocol=True
    ) as (agent, process):
        await agent.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(fs=files, terminal=scene["terminal"]),
        )
        session = (await agent.new_session(cwd=scene["cwd"], mcp_servers=[])).session_id

        async def prompt(words):
            editor.said.clear()
            answer = await agent.prompt(session_id=session, prompt=[text_block(words)])
            return {"said": "".join(editor.said), "stop": answer.stop_reason}

        for words in scene["prompts"]:
            told[words] = await prompt(words)
        if scene.get("cancel"):
            turn = asyncio.create_task(prompt("wait"))
            await editor.waiting.wait()
            await agent.cancel(session_id=session)
            told["wait"] = await turn
        if scene.get("load"):
            editor.said.clear()
            await agent.load_session(cwd=scene["cwd"], session_id="earlier", mcp_servers=[])
            session = "earlier"
            told["load"] = {"said": "".join(editor.said), "stop": ""}
            told["where, loaded"] = await prompt("where")
            told["servers, loaded"] = await prompt("servers")
        if scene.get("outside"):
            try:
                await agent.new_session(cwd=scene["outside"], mcp_servers=[])
                told["outside"] = {"said": "let in", "stop": ""}
            except RequestError as error:
                told["outside"] = {"said": str(error), "stop": ""}
    print(json.dumps({"told": told, "asked": editor.asked, "buffers": editor.buffers}))


asyncio.run(main())
