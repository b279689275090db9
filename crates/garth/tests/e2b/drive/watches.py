"""What holds of watches."""

import e2b

from sdk import raises, until

Kind = e2b.FilesystemEventType


def changes_of_a_directory_are_told(sdk):
    sandbox = sdk.sandbox()
    sandbox.files.make_dir("seen/below")
    events, stop = sdk.watch(sandbox, "seen")
    sandbox.files.write("seen/new.txt", "one")
    until(lambda: ("new.txt", Kind.CREATE) in told(events()), "a new file")
    sandbox.commands.run("echo two >> seen/new.txt")
    until(lambda: ("new.txt", Kind.WRITE) in told(events()), "a change")
    sandbox.files.remove("seen/new.txt")
    until(lambda: ("new.txt", Kind.REMOVE) in told(events()), "a removal")
    assert not any(name.startswith("below/") for name, _ in told(events()))
    stop()


def told(events):
    return [(event.name, event.type) for event in events]


def changes_below_are_told_where_that_is_asked_for(sdk):
    sandbox = sdk.sandbox()
    sandbox.files.make_dir("deep/one")
    events, stop = sdk.watch(sandbox, "deep", recursive=True)
    sandbox.files.write("deep/one/two.txt", "x")
    until(lambda: ("one/two.txt", Kind.CREATE) in told(events()), "a file below")
    sandbox.files.write("deep/new/three.txt", "x")
    until(lambda: "new/three.txt" in [name for name, _ in told(events())], "one in a new directory")
    stop()


def entries_come_along_where_that_is_asked_for(sdk):
    sandbox = sdk.sandbox()
    sandbox.files.make_dir("entries")
    events, stop = sdk.watch(sandbox, "entries", include_entry=True)
    sandbox.files.write("entries/e.txt", "12345")
    found = lambda: [e.entry for e in events() if e.name == "e.txt" and e.entry is not None]
    entry = until(found, "an entry")[-1]
    assert entry.path == "/home/user/entries/e.txt", entry
    stop()


def what_cannot_be_watched_is_refused(sdk):
    sandbox = sdk.sandbox()
    raises(e2b.NotFoundException, lambda: sdk.watch(sandbox, "no-such-directory"))
    sandbox.files.write("file-to-watch", "x")
    raises(e2b.InvalidArgumentException, lambda: sdk.watch(sandbox, "file-to-watch"))


FACTS = [
    changes_of_a_directory_are_told,
    changes_below_are_told_where_that_is_asked_for,
    entries_come_along_where_that_is_asked_for,
    what_cannot_be_watched_is_refused,
]
