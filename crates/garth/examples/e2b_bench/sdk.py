"""Times calls of the published Python SDK, a line for each: what, and how many microseconds.

It is started as `python sdk.py STARTS CALLS LARGE`: how many sandboxes, small calls and large ones.
"""

import sys
import time

from e2b import Sandbox


def timed(what, call):
    began = time.perf_counter_ns()
    given = call()
    print(f"{what}\t{(time.perf_counter_ns() - began) // 1_000}", flush=True)
    return given


def first():
    sandbox = Sandbox.create(timeout=300)
    sandbox.commands.run("true")
    return sandbox


def main():
    starts, calls, large = map(int, sys.argv[1:4])
    # The first of all loads what is loaded once.
    first().kill()
    for _ in range(starts):
        timed("start", first).kill()
    sandbox = first()
    for name, size, times in [("1 KB", 1 << 10, calls), ("1 MB", 1 << 20, large)]:
        content = bytes(range(256)) * (size // 256)
        for _ in range(times):
            timed(f"write {name}", lambda: sandbox.files.write("a.bin", content))
            back = timed(f"read {name}", lambda: sandbox.files.read("a.bin", format="bytes"))
            assert len(back) == size
    for _ in range(calls):
        timed("run", lambda: sandbox.commands.run("true"))
    sandbox.kill()


main()
