"""Runs facts of one group with one of the two clients of the library: python drive CLIENT GROUP."""

import os
import sys
import time
import traceback

import cells
import commands
import files
import life
import system
import terminals
import watches
from sdk import Async, Sync

# Where the system is not the sandbox's own, and has no git.
CONTAINED = [fact for fact in commands.FACTS if "git" not in fact.__name__]
CONTAINED += files.FACTS + files.SHOWN + life.FACTS

GROUPS = {
    "basics": [commands.runs_in_the_foreground, files.text_comes_back, life.ends_once],
    "code": cells.FACTS,
    "commands": commands.FACTS,
    "files": files.FACTS,
    "life": life.FACTS,
    "elsewhere": [life.is_where_its_template_says],
    "shown": files.SHOWN,
    "system": system.FACTS,
    "contained": CONTAINED + terminals.FACTS,
    "contained-without-terminals": CONTAINED,
    "terminals": terminals.FACTS,
    "watches": watches.FACTS,
}


def main():
    client, group = sys.argv[1:3]
    sdk = {"sync": Sync, "async": Async}[client]()
    if group == "code":
        # Its own package, with sandboxes that can do more.
        import e2b_code_interpreter

        sdk.take(e2b_code_interpreter)
    failed = 0
    for fact in GROUPS[group]:
        began = time.monotonic()
        try:
            fact(sdk)
        except Exception:
            failed += 1
            print(f"FAILED {fact.__name__}")
            traceback.print_exc(file=sys.stdout)
        print(f"{time.monotonic() - began:6.2f} s {fact.__name__}")
    sdk.end_all()
    sys.stdout.flush()
    # The library's own threads go on, and one that is met by the end of the interpreter aborts it.
    os._exit(1 if failed else 0)


main()
