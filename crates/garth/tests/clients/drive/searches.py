"""Facts about long searches: they tell that they go on, and they end when they are given up."""

import os

import anyio

from scene import lay_out, serving

# A word boundary in text that is no ASCII leaves the engine its slowest way, and the last
# word is longer than any that is there: some minutes for all files.
FILES = {f"{number}.txt": ("löre ïpsu dôlo sît äme " * 400 + "\n") * 200 for number in range(20)}
PATTERN = r"(?:\b\w+\W+){50}\b\w{9}\b"


async def tell_progress(library, era, scene):
    root = lay_out(scene["directory"], FILES)
    async with serving(library, era, scene, root) as connection:
        told = await search_until_told(connection, times=2)
        assert told[0] < told[1], told


async def are_given_up(library, era, scene):
    root = lay_out(scene["directory"], FILES | {"heron.txt": "grey\n"})
    async with serving(library, era, scene, root) as connection:
        await search_until_told(connection, times=1)
        result = await connection.call("read", {"path": "heron.txt"})
        assert "grey" in result.content[0]["text"], result.content
        [server] = children()
        # The search would work for minutes; the server is at rest long before.
        while await works(server):
            await anyio.sleep(0.1)


async def search_until_told(connection, times):
    """Searches until it was told so many times of progress, then gives up."""
    told = []
    with anyio.CancelScope() as scope:

        async def hear(progress, total=None, message=None):
            told.append(progress)
            if len(told) >= times:
                scope.cancel()

        result = await connection.call("grep", {"pattern": PATTERN}, hear)
        raise AssertionError(f"the search ended, told {told}: {result.content}")
    return told


async def works(process):
    """Whether a thread of a process ran, or waited for a processor, in some moment of many."""
    for _ in range(20):
        if "R" in states(process):
            return True
        await anyio.sleep(0.02)
    return False


def states(process):
    found = []
    for task in os.listdir(f"/proc/{process}/task"):
        try:
            with open(f"/proc/{process}/task/{task}/stat", encoding="utf-8") as file:
                found.append(file.read().rpartition(")")[2].split()[0])
        except FileNotFoundError:
            continue  # The thread has ended.
    return found


def children():
    tasks = os.listdir("/proc/self/task")
    found = []
    for task in tasks:
        with open(f"/proc/self/task/{task}/children", encoding="utf-8") as file:
            found += file.read().split()
    return found
