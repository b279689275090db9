"""What holds of the system that a sandbox has: it is its own."""

import io
import zipfile

import e2b

from sdk import raises, until

# A machine whose Python has no pip of its own has one among the wheels of its venv.
PIP = (
    "$(python3 -c 'import pip' 2>/dev/null && echo python3 -m pip ||"
    " echo python3 /usr/share/python-wheels/pip-*.whl/pip)"
    " install --quiet --no-index --no-deps --root-user-action=ignore"
    " $(test -e /usr/lib/python3.*/EXTERNALLY-MANAGED && echo --break-system-packages)"
)


def wheel():
    """A package that any Python can install, as a file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as files:
        files.writestr("tiny_thing.py", "WORD = 'installed'\n")
        about = "tiny_thing-1.0.dist-info"
        files.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tiny-thing\nVersion: 1.0\n")
        files.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        files.writestr(f"{about}/RECORD", "")
    return packed.getvalue()


def root_is_user_0_and_nothing_more(sdk):
    sandbox = sdk.sandbox()
    said = sandbox.commands.run('id -u; whoami; pwd; echo $HOME $USER "$IT"', user="root", envs={"IT": "a b"})
    assert said.stdout == "0\nroot\n/root\n/root root a b\n", said
    assert sandbox.commands.run("id -u; whoami; pwd").stdout == "1000\nuser\n/home/user\n"
    held = sandbox.commands.run("grep CapEff /proc/self/status", user="root").stdout
    assert held == "CapEff:\t0000000000000000\n", held
    error = raises(e2b.CommandExitException, lambda: sandbox.commands.run("exit 9", user="root"))
    assert error.exit_code == 9, error
    # One person by two names: what either makes is the other's.
    sandbox.commands.run("echo mine > /home/user/of-root; echo more > own", user="root")
    sandbox.commands.run("echo again >> /home/user/of-root; rm /home/user/of-root")
    assert sandbox.files.read("own", user="root") == "more\n"
    sandbox.files.write("other", "text", user="root")
    assert sandbox.commands.run("cat /root/other", user="root").stdout == "text"


def sudo_runs_as_root(sdk):
    sandbox = sdk.sandbox()
    assert sandbox.commands.run("sudo whoami; sudo -n id -u; whoami").stdout == "root\n0\nuser\n"
    assert sandbox.commands.run("sudo -E bash -c 'echo $A'", envs={"A": "1"}).stdout == "1\n"
    sandbox.commands.run("echo one | sudo tee -a /etc/hosts; sudo mkdir -p /opt/app /var/lib/app")
    assert sandbox.files.read("/etc/hosts").endswith("one\n")
    error = raises(e2b.CommandExitException, lambda: sandbox.commands.run("sudo sh -c 'exit 5'"))
    assert error.exit_code == 5, error


def a_package_is_installed_for_all_and_for_this_sandbox_alone(sdk):
    sandbox = sdk.create()
    sandbox.files.write("tiny_thing-1.0-py3-none-any.whl", wheel())
    sandbox.commands.run(f"sudo {PIP} ./tiny_thing-1.0-py3-none-any.whl")
    use = 'cd /tmp && python3 -c "import tiny_thing; print(tiny_thing.WORD, tiny_thing.__file__)"'
    shown = sandbox.commands.run(use).stdout
    assert shown.startswith("installed /usr/"), shown
    assert sandbox.commands.run(use, user="root").stdout == shown
    sandbox.pause()
    sandbox = sdk.Sandbox.connect(sandbox.sandbox_id, timeout=300)
    assert sandbox.commands.run(use).stdout == shown
    raises(e2b.CommandExitException, lambda: sdk.sandbox().commands.run(use))
    sandbox.kill()


def files_of_the_system_are_written_and_removed(sdk):
    sandbox = sdk.create()
    sandbox.files.write("/usr/local/bin/mine", "#!/bin/sh\necho ran\n")
    sandbox.commands.run("chmod +x /usr/local/bin/mine")
    assert sandbox.commands.run("mine").stdout == "ran\n"
    sandbox.files.write("/opt/deep/er/file", "x")
    sandbox.files.rename("/opt/deep/er/file", "/srv/file")
    assert sandbox.files.read("/srv/file") == "x"
    assert sandbox.files.exists("/usr/bin/env")
    sandbox.files.remove("/usr/bin/env")
    assert not sandbox.files.exists("/usr/bin/env")
    sandbox.kill()


def what_root_started_is_killed_as_a_whole(sdk):
    sandbox = sdk.sandbox()
    script = "setsid sleep 3001 & sudo -u root sleep 3002 & sleep 3003"
    handle = sandbox.commands.run(script, background=True, user="root")
    count = "pgrep -f -c '^sleep 300[123]$' || true"
    until(lambda: sandbox.commands.run(count).stdout == "3\n", "three that sleep")
    assert sandbox.commands.kill(handle.pid) is True
    until(lambda: sandbox.commands.run(count).stdout == "0\n", "none that sleeps")


def templates_are_known_by_their_names(sdk):
    if sdk.name != "sync":
        return
    assert e2b.Template.exists("base") is True
    assert e2b.Template.exists("no-such-template") is False


FACTS = [
    root_is_user_0_and_nothing_more,
    sudo_runs_as_root,
    a_package_is_installed_for_all_and_for_this_sandbox_alone,
    files_of_the_system_are_written_and_removed,
    what_root_started_is_killed_as_a_whole,
    templates_are_known_by_their_names,
]
