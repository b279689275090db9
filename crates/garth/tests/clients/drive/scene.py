"""Directories with files in them, and servers of those."""

import base64
import os
import tempfile
from contextlib import asynccontextmanager

from connection import connect


def lay_out(directory, files):
    """A new directory with these files: a text, or an object with base64."""
    root = tempfile.mkdtemp(dir=directory)
    for path, content in files.items():
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            is_text = isinstance(content, str)
            file.write(content.encode() if is_text else base64.b64decode(content["base64"]))
    return root


@asynccontextmanager
async def serving(library, era, scene, root, dialect="workspace"):
    command = [scene["garth"], "mcp", "--dialect", dialect, root]
    async with connect(library, era, command) as connection:
        yield connection
