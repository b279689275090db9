"""A context of the code interpreter: an IPython that runs the cells it reads, and tells what comes of them.

It is run in a sandbox, with the sandbox's own Python. A line of input is a request in JSON; the first one
holds the mark. What a cell prints goes where it goes; records of JSON stand between it, each in frames that
begin with the mark and are small enough for a pipe to take each of them whole.
"""

import base64
import json
import os
import signal
import sys

# With the mark and the head this stays below what a pipe takes in one piece.
MOST_PAYLOAD = 4_000
# One result: a large picture in base64.
MOST_RECORD = 6 << 20

NAMES = {
    "text/plain": "text",
    "text/html": "html",
    "text/markdown": "markdown",
    "image/svg+xml": "svg",
    "image/png": "png",
    "image/jpeg": "jpeg",
    "application/pdf": "pdf",
    "text/latex": "latex",
    "application/json": "json",
    "application/javascript": "javascript",
}


class Teller:
    """Writes records between what is printed."""

    def __init__(self, mark):
        self.head = b"\x1e" + mark.encode()
        # Cells may close or replace their own.
        self.out, self.err = os.dup(1), os.dup(2)
        self.cell = 0

    def tell(self, kind, **facts):
        flush()
        self.record(self.out, kind, facts)

    def end(self):
        """Says on both streams that the cell printed all it will."""
        flush()
        self.record(self.out, "end", {})
        self.record(self.err, "end", {})

    def record(self, stream, kind, facts):
        text = json.dumps({"type": kind, "cell": self.cell, **facts}, default=str)
        if len(text) > MOST_RECORD:
            said = {"text": f"this is too large to be told: {len(text)} bytes"}
            if "is_main_result" in facts:
                said["is_main_result"] = facts["is_main_result"]
            if kind == "error":
                said = {"name": str(facts["name"])[:200], "value": "too large to be told", "traceback": ""}
            text = json.dumps({"type": kind, "cell": self.cell, **said})
        data = text.encode("ascii")
        pieces = [data[at : at + MOST_PAYLOAD] for at in range(0, len(data), MOST_PAYLOAD)]
        for piece in pieces[:-1]:
            os.write(stream, b"%s+%04x%s" % (self.head, len(piece), piece))
        os.write(stream, b"%s.%04x%s" % (self.head, len(pieces[-1]), pieces[-1]))


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            # A cell may have closed it.
            pass


def bundle(data):
    """A bundle of representations, by the names that results have on the wire."""
    told, extra = {}, {}
    for kind, value in data.items():
        if isinstance(value, bytes):
            value = base64.b64encode(value).decode("ascii")
        if kind in NAMES:
            told[NAMES[kind]] = value
        else:
            extra[kind] = value
    text = told.get("text")
    # A text is told as it is, without the quotes of its representation.
    if isinstance(text, str) and len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        told["text"] = text[1:-1]
    if extra:
        told["extra"] = extra
    return told


def opened(teller):
    """An IPython that tells its results to the teller."""
    from IPython.core import page
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets import Type
    from traitlets.config import Config

    class Hook(DisplayHook):
        def write_output_prompt(self):
            pass

        def write_format_data(self, format_dict, md_dict=None):
            teller.tell("result", is_main_result=True, **bundle(format_dict))

        def finish_displayhook(self):
            self._is_active = False

    class Publisher(DisplayPublisher):
        def publish(self, data, *args, **options):
            teller.tell("result", is_main_result=False, **bundle(data))

        def clear_output(self, wait=False):
            pass

    class Shell(InteractiveShell):
        displayhook_class = Type(Hook)
        display_pub_class = Type(Publisher)

        def _showtraceback(self, etype, evalue, stb):
            teller.tell("error", name=etype.__name__, value=str(evalue), traceback="\n".join(stb))

        def enable_gui(self, gui=None):
            pass

        def ask_exit(self):
            pass

    config = Config()
    config.InteractiveShell.colors = "nocolor"
    # Nothing of it belongs into the home directory.
    config.HistoryManager.enabled = False
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    shell = Shell.instance(config=config)
    shell.set_hook("show_in_pager", page.as_hook(page.display_page), 99)
    return shell


def run(shell, teller, request):
    """Runs one cell, with its own variables."""
    before = dict(os.environ)
    os.environ.update(request.get("envs") or {})
    running = [True]

    def interrupted(number, frame):
        # Between cells nothing is to be interrupted.
        if running[0]:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupted)
    try:
        teller.tell("number_of_executions", execution_count=shell.execution_count)
        shell.run_cell(request["code"], store_history=True)
    except KeyboardInterrupt:
        teller.tell("error", name="KeyboardInterrupt", value="", traceback="KeyboardInterrupt")
    except BaseException as error:
        teller.tell("error", name=type(error).__name__, value=str(error), traceback=repr(error))
    finally:
        running[0] = False
    for name in request.get("envs") or {}:
        if name in before:
            os.environ[name] = before[name]
        else:
            os.environ.pop(name, None)


def main():
    requests = os.fdopen(os.dup(0), "rb")
    # What cells read is empty, and not the next request.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    signal.signal(signal.SIGINT, lambda number, frame: None)
    teller = Teller(json.loads(requests.readline())["mark"])
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    sys.argv = [""]
    try:
        shell = opened(teller)
    except ImportError as error:
        teller.tell("missing", name=error.name)
        return
    teller.tell("ready")
    for line in requests:
        request = json.loads(line)
        teller.cell = request["cell"]
        run(shell, teller, request)
        teller.end()


main()
