"""An editor on the protocol's Python library: buffers over files, for the agent that it starts.

usage: client.py SCENE ROOT AGENT ARGUMENTS...

Scene "files": it saves what it is given, until the agent ends. Scene "unsaved": a person typed into a file and
did not save; the agent is prompted, and what it then wrote must be in the buffers and not in the files.
"""

import asyncio
import logging
import os
import sys
import tempfile
from pathlib import Path

import acp
from acp.schema import ClientCapabilities, FileSystemCapabilities, ReadTextFileResponse, TextContentBlock

# The longest line that is taken: a large text, every character escaped.
LONGEST = 100 << 20


class Editor(acp.Client):
    """Opens what is below its root, from directory to directory, and follows no link."""

    def __init__(self, root: str, saves: bool):
        self.root = Path(root)
        self.saves = saves
        self.unsaved: dict[str, str] = {}
        self.said: list[str] = []
        # Where files are made before they take their places; not in anybody's workspace.
        self.aside = tempfile.TemporaryDirectory()

    async def read_text_file(self, session_id, path, line=None, limit=None, **kwargs):
        if path in self.unsaved:
            return ReadTextFileResponse(content=self.unsaved[path])
        text = self.saved(path)
        if text is None:
            raise acp.RequestError.resource_not_found(path)
        return ReadTextFileResponse(content=text)

    async def write_text_file(self, session_id, path, content, **kwargs):
        if self.saves or self.saved(path) is None:
            self.save(path, content)
        else:
            self.unsaved[path] = content

    async def session_update(self, session_id, update, **kwargs):
        self.said.append(update.content.text)

    def directory(self, path: str) -> tuple[int, str]:
        """The directory of a path, open, and the name in it."""
        *directories, name = Path(path).relative_to(self.root).parts
        handle = os.open(self.root, os.O_PATH | os.O_DIRECTORY)
        for directory in directories:
            try:
                below = os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=handle)
            finally:
                os.close(handle)
            handle = below
        return handle, name

    def saved(self, path: str) -> str | None:
        try:
            directory, name = self.directory(path)
        except FileNotFoundError:
            return None
        try:
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
        except FileNotFoundError:
            return None
        finally:
            os.close(directory)
        with open(file, "rb") as content:
            return content.read().decode()

    def save(self, path: str, text: str):
        """Puts a file in its place whole, with the attributes of the one it replaces."""
        aside = os.path.join(self.aside.name, "new")
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), "wb") as new:
            new.write(text.encode())
            directory, name = self.directory(path)
            try:
                self.keep_attributes(name, directory, new.fileno())
                new.flush()
                os.rename(aside, name, dst_dir_fd=directory)
            finally:
                os.close(directory)

    @staticmethod
    def keep_attributes(name: str, directory: int, new: int):
        try:
            old = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
        except FileNotFoundError:
            return
        try:
            facts = os.fstat(old)
            os.fchmod(new, facts.st_mode & 0o7777)
            if (facts.st_uid, facts.st_gid) != (os.getuid(), os.getgid()):
                os.fchown(new, facts.st_uid, facts.st_gid)
            for attribute in os.listxattr(old):
                os.setxattr(new, attribute, os.getxattr(old, attribute))
        finally:
            os.close(old)


async def main():
    scene, root, agent, *arguments = sys.argv[1:]
    editor = Editor(root, saves=scene == "files")
    offered = ClientCapabilities(fs=FileSystemCapabilities(read_text_file=True, write_text_file=True))
    spawned = acp.spawn_agent_process(editor, agent, *arguments, transport_kwargs={"limit": LONGEST})
    async with spawned as (agent, process):
        await agent.initialize(protocol_version=acp.PROTOCOL_VERSION, client_capabilities=offered)
        session = await agent.new_session(cwd=root, mcp_servers=[])
        if scene == "files":
            await process.wait()
            return
        typed = os.path.join(root, "typed.txt")
        editor.unsaved[typed] = "typed and not saved\n"
        prompt = [TextContentBlock(type="text", text="read, find and write")]
        answer = await agent.prompt(prompt=prompt, session_id=session.session_id)
        assert answer.stop_reason == "end_turn", answer
        assert editor.said == ["read: typed and not saved\n", "found: typed.txt:1"], editor.said
        assert editor.unsaved == {typed: "typed and written\n"}, editor.unsaved
        assert Path(typed).read_text() == "saved\n"
        assert (Path(root) / "new/file.txt").read_text() == "new\n"


# A refusal is an answer here; the library would print how it came about.
logging.disable(logging.CRITICAL)
asyncio.run(main())
