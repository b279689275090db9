"""What holds of terminals."""

import e2b

from sdk import raises, until


def a_terminal_is_typed_into_resized_and_killed(sdk):
    sandbox = sdk.sandbox()
    handle, printed = sdk.terminal(sandbox, envs={"GREETING": "hello"}, cwd="/tmp", timeout=0)
    pid = handle.pid
    sandbox.pty.send_stdin(pid, b"echo $GREETING-$((40+2)) in $PWD; tty\n")
    until(lambda: "hello-42 in /tmp" in printed() and "/dev/pts/" in printed(), "an answer")
    sandbox.pty.resize(pid, e2b.PtySize(rows=31, cols=101))
    sandbox.pty.send_stdin(pid, b"stty size\n")
    until(lambda: "31 101" in printed(), "the new size")
    assert sandbox.pty.kill(pid) is True
    until(lambda: sandbox.pty.kill(pid) is False, "its end")


def a_terminal_is_met_again(sdk):
    sandbox = sdk.sandbox()
    handle, printed = sdk.terminal(sandbox, timeout=0)
    sandbox.pty.send_stdin(handle.pid, b"echo first-$((1+1))\n")
    until(lambda: "first-2" in printed(), "an answer")
    seen = []
    if sdk.name == "async":
        again = sandbox.pty.connect(handle.pid, on_data=seen.append)
    else:
        again = sandbox.pty.connect(handle.pid)
        seen = sdk.seen(again)
    text = lambda: b"".join(bytes(piece) for piece in seen).decode(errors="replace")
    until(lambda: "first-2" in text(), "what was printed before")
    sandbox.pty.send_stdin(handle.pid, b"echo second-$((1+2))\n")
    until(lambda: "second-3" in text(), "what is printed now")
    sandbox.pty.send_stdin(handle.pid, b"exit 3\n")
    listed = lambda: handle.pid in [process.pid for process in sandbox.commands.list()]
    until(lambda: not listed(), "its end")
    raises(e2b.NotFoundException, lambda: sandbox.pty.send_stdin(handle.pid, b"x"))


FACTS = [a_terminal_is_typed_into_resized_and_killed, a_terminal_is_met_again]
