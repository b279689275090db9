"""The two clients of the library behind one face, so that a fact is written once.

The asynchronous one runs on a loop in a thread of its own; what it gives is wrapped, and a call of
it waits for its answer.
"""

import asyncio
import inspect
import threading
import time

import e2b

# Generous: a slow machine that does much else.
PATIENCE = 60


def until(look, what):
    """Waits until something holds, and gives it."""
    deadline = time.monotonic() + PATIENCE
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < deadline, f"not in time: {what}"
        time.sleep(0.05)


def raises(kind, call):
    """What a call raises, which must be of this kind."""
    try:
        given = call()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised, and this was given: {given!r}")


class Sync:
    """The synchronous client."""

    name = "sync"

    def __init__(self):
        self.take(e2b)
        self.made = []
        self.shared = None

    def take(self, library):
        """Uses the sandboxes of this package."""
        self.Sandbox = library.Sandbox

    def create(self, **options):
        options.setdefault("timeout", 300)
        sandbox = self.Sandbox.create(**options)
        self.made.append(sandbox)
        return sandbox

    def sandbox(self):
        """One that facts share which leave nothing behind that matters."""
        if self.shared is None:
            self.shared = self.create()
        return self.shared

    def end_all(self):
        for sandbox in self.made:
            sandbox.kill()

    def watch(self, sandbox, path, **options):
        """A watch, as a function that gives all events so far."""
        handle = sandbox.files.watch_dir(path, **options)
        seen = []

        def events():
            seen.extend(handle.get_new_events())
            return seen

        return events, handle.stop

    def terminal(self, sandbox, **options):
        """A terminal, and a function that gives all it printed so far."""
        handle = sandbox.pty.create(e2b.PtySize(rows=24, cols=80), **options)
        return handle, Printed(self, handle)

    def wait(self, handle):
        return handle.wait()

    def stream(self, sandbox, pid, pieces):
        sandbox.commands.stream_input(pid, pieces)

    def seen(self, handle):
        """What a terminal printed, as a list that grows."""
        seen = []
        thread = threading.Thread(target=lambda: consume(handle, seen), daemon=True)
        thread.start()
        return seen


def consume(handle, seen):
    try:
        handle.wait(on_pty=seen.append)
    except e2b.CommandExitException:
        pass


class Printed:
    def __init__(self, sdk, handle):
        self.seen = sdk.seen(handle)

    def __call__(self):
        return b"".join(self.seen).decode(errors="replace")


class Wrapped:
    """Something of the asynchronous client, whose calls wait for their answers."""

    def __init__(self, inner, sdk):
        self.__dict__.update(_inner=inner, _sdk=sdk)

    def __getattr__(self, name):
        return self._sdk.wrap(getattr(self._inner, name))

    def __call__(self, *args, **options):
        args = [getattr(arg, "_inner", arg) for arg in args]
        return self._sdk.wrap(self._sdk.run(lambda: self._inner(*args, **options)))


class Async(Sync):
    """The asynchronous client."""

    name = "async"

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        super().__init__()

    def take(self, library):
        self.Sandbox = Wrapped(library.AsyncSandbox, self)

    def run(self, call):
        async def work():
            given = call()
            return await given if inspect.isawaitable(given) else given

        return asyncio.run_coroutine_threadsafe(work(), self.loop).result()

    def wrap(self, given):
        ours = type(given).__module__.startswith("e2b") and "async" in type(given).__module__
        return Wrapped(given, self) if ours or callable(given) else given

    def stream(self, sandbox, pid, pieces):
        handle = sandbox.commands.stream_input(pid)
        for piece in pieces:
            handle.send(piece)
        handle.close()

    def watch(self, sandbox, path, **options):
        seen = []
        handle = sandbox.files.watch_dir(path, on_event=seen.append, **options)
        return (lambda: seen), handle.stop

    def terminal(self, sandbox, **options):
        seen = []
        size = e2b.PtySize(rows=24, cols=80)
        handle = sandbox.pty.create(size, on_data=seen.append, **options)
        return handle, lambda: b"".join(bytes(piece) for piece in seen).decode(errors="replace")
