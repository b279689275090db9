"""Facts about resources: listed, read, named by a template, completed."""

import base64
import json

import mcp_types as types
from mcp import MCPError

from scene import lay_out, serving

PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n and more").decode()
FILES = {"heron.txt": "grey\n", "nest/egg.txt": "blue\n", "pixel.png": {"base64": PIXEL}}


async def are_read(library, era, scene):
    root = lay_out(scene["directory"], FILES)
    async with serving(library, era, scene, root) as connection:
        listed = {str(resource.uri): resource for resource in await connection.resources()}
        assert set(listed) == {
            "workspace:///", "workspace:///heron.txt", "workspace:///nest", "workspace:///pixel.png",
        }, listed.keys()
        assert listed["workspace:///nest"].mime_type == "inode/directory"
        assert listed["workspace:///heron.txt"].size == 5

        [template] = await connection.templates()
        assert template.uri_template == "workspace:///{+path}", template

        [text] = await connection.read("workspace:///heron.txt")
        assert isinstance(text, types.TextResourceContents) and text.text == "grey\n", text
        [blob] = await connection.read("workspace:///pixel.png")
        assert isinstance(blob, types.BlobResourceContents), blob
        assert (blob.blob, blob.mime_type) == (PIXEL, "image/png"), blob
        [nest] = await connection.read("workspace:///nest")
        entries = json.loads(nest.text)["entries"]
        assert [entry["uri"] for entry in entries] == ["workspace:///nest/egg.txt"], entries

        for uri, name in {
            "workspace:///missing": "FILE_NOT_FOUND",
            "file:///etc/passwd": "INVALID_PATH",
        }.items():
            try:
                await connection.read(uri)
            except MCPError as error:
                assert error.error.data["code"] == name, error.error
            else:
                raise AssertionError(f"{uri} was read")


async def are_completed(library, era, scene):
    root = lay_out(scene["directory"], FILES)
    async with serving(library, era, scene, root) as connection:
        for typed, values in {
            "": ["heron.txt", "nest/", "pixel.png"],
            "he": ["heron.txt"],
            "nest/": ["nest/egg.txt"],
            "../": [],
        }.items():
            completion = await connection.complete("workspace:///{+path}", "path", typed)
            assert completion.values == values, f"{typed!r}: {completion}"
