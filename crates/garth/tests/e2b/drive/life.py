"""What holds of the lives of sandboxes."""

import datetime

import e2b

from sdk import raises, until


def ends_once(sdk):
    sandbox = sdk.create()
    assert sandbox.is_running() is True
    assert sandbox.kill() is True
    assert sandbox.kill() is False
    assert sandbox.is_running() is False
    raises(e2b.SandboxException, lambda: sandbox.commands.run("true"))
    raises(e2b.SandboxException, lambda: sandbox.files.read("x"))


def is_told_of(sdk):
    sandbox = sdk.create(metadata={"who": "me"}, timeout=120)
    info = sandbox.get_info()
    assert (info.sandbox_id, info.metadata) == (sandbox.sandbox_id, {"who": "me"}), info
    assert info.state == e2b.SandboxState.RUNNING and info.template_id == "base", info
    assert info.end_at - info.started_at == datetime.timedelta(seconds=120), info
    raises(e2b.NotFoundException, lambda: sdk.Sandbox.connect("inowhere"))
    error = raises(e2b.SandboxException, lambda: sdk.create(template="no-such-template"))
    assert "no template" in str(error), error
    sandbox.kill()


def is_listed_in_pages(sdk):
    made = [sdk.create(metadata={"group": "pages & more", "number": str(n)}) for n in range(3)]
    query = e2b.SandboxQuery(metadata={"group": "pages & more"})
    paginator = sdk.Sandbox.list(query=query, limit=2)
    first = paginator.next_items()
    assert len(first) == 2 and paginator.has_next
    rest = paginator.next_items()
    assert len(rest) == 1 and not paginator.has_next
    listed = [item.sandbox_id for item in first + rest]
    assert listed == [sandbox.sandbox_id for sandbox in reversed(made)], listed
    one = e2b.SandboxQuery(metadata={"group": "pages & more", "number": "1"})
    assert [i.sandbox_id for i in sdk.Sandbox.list(query=one).next_items()] == [made[1].sandbox_id]
    paused = e2b.SandboxQuery(metadata={"group": "pages & more"}, state=[e2b.SandboxState.PAUSED])
    assert sdk.Sandbox.list(query=paused).next_items() == []
    for sandbox in made:
        sandbox.kill()


def ends_when_its_time_is_over(sdk):
    sandbox = sdk.create(timeout=300)
    sandbox.commands.run("echo x > kept.txt")
    sandbox.set_timeout(1)
    until(lambda: sandbox.is_running() is False, "its end")
    raises(e2b.NotFoundException, lambda: sdk.Sandbox.connect(sandbox.sandbox_id))


def lives_longer_when_it_is_asked_for(sdk):
    sandbox = sdk.create(timeout=60)
    before = sandbox.get_info().end_at
    sandbox.set_timeout(600)
    after = sandbox.get_info().end_at
    assert after > before
    # Whoever meets it does not shorten its life.
    again = sdk.Sandbox.connect(sandbox.sandbox_id, timeout=30)
    assert again.get_info().end_at == after
    sandbox.kill()


def is_paused_and_goes_on(sdk):
    sandbox = sdk.create(timeout=300)
    handle = sandbox.commands.run(
        "n=0; while true; do n=$((n+1)); echo $n > count.txt; sleep 0.05; done",
        background=True,
        timeout=0,
    )
    pid = handle.pid
    handle.disconnect()
    until(lambda: sandbox.files.exists("count.txt"), "the first count")
    sandbox.files.write("/tmp/kept", "too")
    sandbox.pause()
    info = sandbox.get_info()
    assert info.state == e2b.SandboxState.PAUSED, info
    assert sandbox.is_running() is False
    raises(e2b.SandboxException, lambda: sandbox.commands.run("true"))
    again = sdk.Sandbox.connect(sandbox.sandbox_id, timeout=300)
    assert again.get_info().state == e2b.SandboxState.RUNNING
    # What ran is the same process, and it goes on.
    assert [process.pid for process in again.commands.list()] == [pid]
    assert again.files.read("/tmp/kept") == "too"
    count = int(again.files.read("count.txt") or 0)
    until(lambda: int(again.files.read("count.txt") or 0) > count + 2, "a higher count")
    assert again.commands.kill(pid) is True
    again.kill()


def is_paused_when_its_time_is_over_where_that_is_asked_for(sdk):
    sandbox = sdk.create(timeout=300, lifecycle={"on_timeout": "pause"})
    sandbox.files.write("kept.txt", "kept")
    sandbox.set_timeout(1)
    paused = lambda: sandbox.get_info().state == e2b.SandboxState.PAUSED
    until(paused, "its pause")
    again = sdk.Sandbox.connect(sandbox.sandbox_id, timeout=300)
    assert again.files.read("kept.txt") == "kept"
    again.kill()


def says_what_it_uses(sdk):
    sandbox = sdk.create()
    sandbox.files.write("some.bin", "x" * 200_000)
    metrics = sandbox.get_metrics()
    assert len(metrics) == 1 and metrics[0].mem_used > 0, metrics
    assert metrics[0].disk_used >= 200_000 and metrics[0].mem_total > metrics[0].mem_used, metrics
    sandbox.kill()


def what_runs_hears_of_its_end(sdk):
    sandbox = sdk.create()
    handle = sandbox.commands.run("echo on; sleep 1000", background=True)
    sandbox.kill()
    raises(e2b.SandboxException, lambda: sdk.wait(handle))


def is_where_its_template_says(sdk):
    usual, other = sdk.create(), sdk.create(template="other")
    kernel = "dmesg 2>/dev/null | head -n 1; cat /proc/version"
    here, there = usual.commands.run(kernel).stdout, other.commands.run(kernel).stdout
    assert here != there, (here, there)
    other.files.write("a.txt", "text")
    assert other.commands.run("whoami; pwd; cat a.txt").stdout == "user\n/home/user\ntext"
    for sandbox in (usual, other):
        error = raises(e2b.AuthenticationException, lambda: sandbox.commands.run("true", user="root"))
        assert "runs as 'user'" in str(error), error
        assert sandbox.kill() is True


FACTS = [
    ends_once,
    is_told_of,
    is_listed_in_pages,
    ends_when_its_time_is_over,
    lives_longer_when_it_is_asked_for,
    is_paused_and_goes_on,
    is_paused_when_its_time_is_over_where_that_is_asked_for,
    says_what_it_uses,
    what_runs_hears_of_its_end,
]
