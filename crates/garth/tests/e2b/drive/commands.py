"""What holds of commands."""

import e2b

from sdk import raises, until


def runs_in_the_foreground(sdk):
    sandbox = sdk.sandbox()
    heard = []
    done = sandbox.commands.run(
        "echo out $ONE; echo err >&2; pwd; whoami", envs={"ONE": "1"}, on_stdout=heard.append
    )
    assert done.stdout == "out 1\n/home/user\nuser\n", done
    assert (done.stderr, done.exit_code) == ("err\n", 0), done
    assert "".join(heard) == done.stdout, heard
    assert sandbox.commands.run("pwd", cwd="/tmp").stdout == "/tmp\n"


def another_code_than_0_is_raised(sdk):
    error = raises(
        e2b.CommandExitException,
        lambda: sdk.sandbox().commands.run("echo said; echo why >&2; exit 7"),
    )
    assert (error.exit_code, error.stdout, error.stderr) == (7, "said\n", "why\n"), error


def variables_of_the_sandbox_are_those_of_its_commands(sdk):
    sandbox = sdk.create(envs={"FIRST": "one", "SECOND": "two"})
    shown = sandbox.commands.run(
        "echo $FIRST $SECOND $E2B_SANDBOX $E2B_SANDBOX_ID", envs={"SECOND": "other"}
    )
    assert shown.stdout == f"one other true {sandbox.sandbox_id}\n", shown
    sandbox.kill()


def a_directory_that_is_not_there_is_refused(sdk):
    raises(
        e2b.InvalidArgumentException, lambda: sdk.sandbox().commands.run("true", cwd="/home/user/none")
    )


def another_user_is_refused(sdk):
    error = raises(
        e2b.AuthenticationException, lambda: sdk.sandbox().commands.run("true", user="nobody")
    )
    assert "unknown user" in str(error), error
    assert sdk.sandbox().commands.run("whoami", user="user").stdout == "user\n"


def a_background_command_is_listed_and_waited_for(sdk):
    sandbox = sdk.sandbox()
    handle = sandbox.commands.run("read line; echo got $line", background=True, stdin=True)
    listed = [process for process in sandbox.commands.list() if process.pid == handle.pid]
    assert len(listed) == 1 and listed[0].cmd == "/bin/bash", listed
    assert listed[0].args[-1] == "read line; echo got $line", listed
    sandbox.commands.send_stdin(handle.pid, "this\n")
    assert sdk.wait(handle).stdout == "got this\n"
    assert all(process.pid != handle.pid for process in sandbox.commands.list())


def input_is_closed_and_streamed(sdk):
    sandbox = sdk.sandbox()
    handle = sandbox.commands.run("cat; echo end", background=True, stdin=True)
    sandbox.commands.send_stdin(handle.pid, "one ")
    sdk.stream(sandbox, handle.pid, ["two ", b"three\n"])
    sandbox.commands.close_stdin(handle.pid)
    assert sdk.wait(handle).stdout == "one two three\nend\n"
    raises(e2b.NotFoundException, lambda: sandbox.commands.send_stdin(handle.pid, "late"))


def a_kill_ends_the_whole_group(sdk):
    sandbox = sdk.sandbox()
    script = "setsid sleep 1001 & sleep 1002 & sleep 1003; echo never"
    handle = sandbox.commands.run(script, background=True)
    count = "pgrep -f -c '^sleep 100[123]$' || true"
    until(lambda: sandbox.commands.run(count).stdout == "3\n", "three that sleep")
    assert sandbox.commands.kill(handle.pid) is True
    error = raises(e2b.CommandExitException, lambda: sdk.wait(handle))
    assert error.exit_code != 0 and error.stdout == "", error
    until(lambda: sandbox.commands.run(count).stdout == "0\n", "none that sleeps")
    until(lambda: sandbox.commands.kill(handle.pid) is False, "that it is not found")


def a_timeout_ends_the_whole_group(sdk):
    sandbox = sdk.sandbox()
    script = "setsid sleep 2001 & (sleep 2002 &) ; sleep 2003"
    raises(e2b.TimeoutException, lambda: sandbox.commands.run(script, timeout=1.5))
    count = "pgrep -f -c '^sleep 200[123]$' || true"
    until(lambda: sandbox.commands.run(count).stdout == "0\n", "none that sleeps")


def whoever_comes_back_hears_what_was_printed_meanwhile(sdk):
    sandbox = sdk.sandbox()
    script = "echo before; until [ -e /tmp/go ]; do sleep 0.05; done; echo after"
    handle = sandbox.commands.run(script, background=True)
    pid = handle.pid
    handle.disconnect()
    # It is connected to while it runs, and was silent to everybody before.
    again = sandbox.commands.connect(pid)
    sandbox.files.write("/tmp/go", "")
    assert sdk.wait(again).stdout == "before\nafter\n"
    sandbox.files.remove("/tmp/go")


def much_output_arrives_whole(sdk):
    done = sdk.sandbox().commands.run("seq 1 300000 | tee /dev/stderr")
    expected = "".join(f"{number}\n" for number in range(1, 300001))
    assert done.stdout == expected and done.stderr == expected, len(done.stdout)


def who_is_outrun_is_told(sdk):
    if sdk.name != "sync":
        # A callback of the other client cannot wait for what another call says.
        return
    sandbox = sdk.create()

    def slowly(_):
        until(lambda: sandbox.files.exists("/tmp/all"), "all is printed")

    script = "head -c 120000000 /dev/zero | tr '\\0' x; touch /tmp/all"
    error = raises(
        e2b.SandboxException, lambda: sandbox.commands.run(script, on_stdout=slowly, timeout=120)
    )
    assert "lost" in str(error), error
    sandbox.kill()


def git_works_as_the_helpers_expect(sdk):
    sandbox = sdk.sandbox()
    git = sandbox.git
    git.init("/home/user/repo", initial_branch="trunk")
    git.configure_user("Somebody", "somebody@example.com")
    sandbox.files.write("/home/user/repo/a.txt", "one\n")
    assert [entry.name for entry in git.status("/home/user/repo").file_status] == ["a.txt"]
    git.add("/home/user/repo")
    git.commit("/home/user/repo", "first")
    status = git.status("/home/user/repo")
    assert status.current_branch == "trunk" and not status.file_status, status
    git.create_branch("/home/user/repo", "side")
    branches = git.branches("/home/user/repo")
    assert sorted(branches.branches) == ["side", "trunk"], branches


FACTS = [
    runs_in_the_foreground,
    another_code_than_0_is_raised,
    variables_of_the_sandbox_are_those_of_its_commands,
    a_directory_that_is_not_there_is_refused,
    another_user_is_refused,
    a_background_command_is_listed_and_waited_for,
    input_is_closed_and_streamed,
    a_kill_ends_the_whole_group,
    a_timeout_ends_the_whole_group,
    whoever_comes_back_hears_what_was_printed_meanwhile,
    much_output_arrives_whole,
    who_is_outrun_is_told,
    git_works_as_the_helpers_expect,
]
