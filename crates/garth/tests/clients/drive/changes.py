"""A fact about subscriptions: who follows a file hears of its changes, and of no others."""

import os

from scene import lay_out, serving


async def are_heard(library, era, scene):
    root = lay_out(scene["directory"], {"heron.txt": "grey\n", "stork.txt": "white\n"})
    async with serving(library, era, scene, root) as connection:
        async with connection.following("workspace:///heron.txt") as next_change:
            # What another file says must not be heard, so it changes first.
            write(root, "stork.txt", "black\n")
            for content in ["purple\n", "green\n"]:
                write(root, "heron.txt", content)
                assert await next_change() == "workspace:///heron.txt"
            await connection.call("write", {"path": "heron.txt", "content": "red\n"})
            assert await next_change() == "workspace:///heron.txt"
        [heron] = await connection.read("workspace:///heron.txt")
        assert heron.text == "red\n", heron


def write(root, name, content):
    with open(os.path.join(root, name), "w", encoding="utf-8") as file:
        file.write(content)
