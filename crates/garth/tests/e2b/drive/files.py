"""What holds of files."""

import itertools
import threading
import urllib.error
import urllib.request

import e2b

from sdk import raises, until


def text_comes_back(sdk):
    sandbox = sdk.sandbox()
    written = sandbox.files.write("text.txt", "häuser\n")
    assert written.path == "/home/user/text.txt" and written.name == "text.txt", written
    assert sandbox.files.read("text.txt") == "häuser\n"
    assert sandbox.files.read("/home/user/text.txt") == "häuser\n"
    assert sandbox.commands.run("cat text.txt").stdout == "häuser\n"


def bytes_come_back_as_they_were(sdk):
    sandbox = sdk.sandbox()
    content = bytes(range(256)) * 20_000
    sandbox.files.write("/tmp/deep/er/bytes.bin", content)
    assert bytes(sandbox.files.read("/tmp/deep/er/bytes.bin", format="bytes")) == content
    count = sandbox.commands.run("wc -c < /tmp/deep/er/bytes.bin").stdout
    assert count == f"{len(content)}\n", count


def bytes_are_packed_both_ways(sdk):
    sandbox = sdk.sandbox()
    content = "line\n" * 100_000
    sandbox.files.write("packed.txt", content, gzip=True)
    assert sandbox.commands.run("wc -c < packed.txt").stdout == f"{len(content)}\n"
    assert sandbox.files.read("packed.txt", gzip=True) == content


def several_files_are_written_at_once(sdk):
    sandbox = sdk.sandbox()
    wanted = [{"path": f"many/{name}", "data": name} for name in ("a", "b c", 'q"x')]
    written = sandbox.files.write_files(wanted)
    assert [entry.path for entry in written] == [f"/home/user/many/{n}" for n in ("a", "b c", 'q"x')]
    assert sorted(entry.name for entry in sandbox.files.list("many")) == ["a", "b c", 'q"x']
    assert sandbox.files.read('many/q"x') == 'q"x'


def what_is_not_there_is_not_found(sdk):
    sandbox = sdk.sandbox()
    raises(e2b.NotFoundException, lambda: sandbox.files.read("none.txt"))
    raises(e2b.NotFoundException, lambda: sandbox.files.get_info("none.txt"))
    raises(e2b.NotFoundException, lambda: sandbox.files.list("none"))
    raises(e2b.NotFoundException, lambda: sandbox.files.rename("none", "other"))
    assert sandbox.files.exists("none.txt") is False
    sandbox.files.remove("none.txt")


def a_directory_is_no_file(sdk):
    sandbox = sdk.sandbox()
    sandbox.files.make_dir("dir")
    raises(e2b.InvalidArgumentException, lambda: sandbox.files.read("dir"))
    sandbox.files.write("plain.txt", "x")
    raises(e2b.InvalidArgumentException, lambda: sandbox.files.list("plain.txt"))


def directories_are_made_listed_moved_and_removed(sdk):
    sandbox = sdk.sandbox()
    files = sandbox.files
    assert files.make_dir("tree/one/two") is True
    assert files.make_dir("tree/one") is False
    files.write("tree/one/file.txt", "x")
    names = lambda depth: [entry.path.removeprefix("/home/user/tree/") for entry in files.list("tree", depth=depth)]
    assert names(1) == ["one"]
    assert sorted(names(3)) == ["one", "one/file.txt", "one/two"]
    moved = files.rename("tree/one/file.txt", "tree/other.txt")
    assert moved.path == "/home/user/tree/other.txt", moved
    assert files.exists("tree/one/file.txt") is False and files.exists("tree/other.txt") is True
    files.remove("tree")
    assert files.exists("tree") is False


def what_an_entry_is_is_told(sdk):
    sandbox = sdk.sandbox()
    sandbox.commands.run("mkdir -p info && cd info && echo 12345 > f && chmod 640 f && ln -s f l && ln -s . d")
    info = sandbox.files.get_info("info/f")
    assert (info.size, info.mode, info.permissions) == (6, 0o640, "-rw-r-----"), info
    assert (info.type, info.owner, info.group) == (e2b.FileType.FILE, "user", "user"), info
    assert info.modified_time.timestamp() > 0
    link = sandbox.files.get_info("info/l")
    assert (link.type, link.symlink_target) == (e2b.FileType.SYMLINK, "/home/user/info/f"), link
    kinds = {entry.name: entry.type for entry in sandbox.files.list("info")}
    assert kinds == {"f": e2b.FileType.FILE, "l": e2b.FileType.SYMLINK, "d": e2b.FileType.SYMLINK}, kinds


def what_is_said_of_a_file_is_kept(sdk):
    sandbox = sdk.sandbox()
    sandbox.files.write("said.txt", "x", metadata={"author": "me", "kind": "note"})
    assert sandbox.files.get_info("said.txt").metadata == {"author": "me", "kind": "note"}
    sandbox.files.rename("said.txt", "moved.txt")
    assert sandbox.files.get_info("moved.txt").metadata == {"author": "me", "kind": "note"}
    sandbox.files.write("moved.txt", "y")
    assert not sandbox.files.get_info("moved.txt").metadata


def a_write_is_seen_whole_or_not_at_all(sdk):
    sandbox = sdk.sandbox()
    size = 1 << 20
    sandbox.files.write("whole.txt", "a" * size)
    script = (
        "until [ -e /tmp/enough ]; do tr -d '\\n' < whole.txt | fold -w 1048576 "
        "| awk '{ print length($0) \" \" substr($0, 1, 1) \" \" substr($0, length($0), 1) }'; "
        "touch /tmp/looked; done"
    )
    handle = sandbox.commands.run(script, background=True)
    turns = itertools.count()

    def written_and_seen():
        turn = next(turns)
        sandbox.files.write("whole.txt", ("b" if turn % 2 else "a") * size)
        return turn >= 10 and sandbox.files.exists("/tmp/looked")

    until(written_and_seen, "a look at what is written")
    sandbox.files.write("/tmp/enough", "")
    seen = set(sdk.wait(handle).stdout.splitlines())
    sandbox.files.remove("/tmp/enough")
    assert seen and seen <= {f"{size} a a", f"{size} b b"}, seen


def system_files_are_read_and_not_written(sdk):
    sandbox = sdk.sandbox()
    assert "user" in sandbox.files.read("/etc/passwd")
    raises(e2b.SandboxException, lambda: sandbox.files.write("/usr/bin/mine", "x"))
    assert sandbox.commands.run("test -e /usr/bin/mine || echo none").stdout == "none\n"


def links_out_of_home_stay_in_the_sandbox(sdk):
    sandbox = sdk.sandbox()
    sandbox.commands.run("ln -s /etc/hostname out && ln -s /tmp/t.txt there")
    assert sandbox.files.read("out") == sandbox.files.read("/etc/hostname")
    sandbox.files.write("/tmp/t.txt", "t")
    assert sandbox.files.read("there") == "t"


def fetched(url, data=None, headers=None):
    request = urllib.request.Request(url, data=data, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def signed_addresses_give_and_take_one_file(sdk):
    sandbox = sdk.sandbox()
    sandbox.files.write("signed.txt", "secret")
    url = sandbox.download_url("signed.txt", use_signature_expiration=300)
    assert fetched(url) == (200, b"secret"), fetched(url)
    status, part = fetched(url, headers={"Range": "bytes=1-3"})
    assert (status, part) == (206, b"ecr")
    assert fetched(url.replace("signed.txt", "text.txt"))[0] == 401
    assert fetched(url.replace("signature_expiration=", "signature_expiration=9"))[0] == 401
    old = sandbox.download_url("signed.txt", use_signature_expiration=-10)
    assert fetched(old)[0] == 401, fetched(old)
    up = sandbox.upload_url("sent.txt", use_signature_expiration=300)
    body = b'--X\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nhello\r\n--X--\r\n'
    status, _ = fetched(up, body, {"Content-Type": "multipart/form-data; boundary=X"})
    assert status == 200 and sandbox.files.read("sent.txt") == "hello"
    # One that gives does not take.
    assert fetched(url, body, {"Content-Type": "multipart/form-data; boundary=X"})[0] == 401


def many_calls_at_once_are_answered(sdk):
    sandbox = sdk.sandbox()
    wrong = []

    def work(number):
        try:
            for turn in range(5):
                sandbox.files.write(f"crowd/{number}", f"{number}-{turn}")
                assert sandbox.files.read(f"crowd/{number}") == f"{number}-{turn}"
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong, wrong
    until(lambda: len(sandbox.files.list("crowd")) == 8, "eight files")


FACTS = [
    text_comes_back,
    bytes_come_back_as_they_were,
    bytes_are_packed_both_ways,
    several_files_are_written_at_once,
    what_is_not_there_is_not_found,
    a_directory_is_no_file,
    directories_are_made_listed_moved_and_removed,
    what_an_entry_is_is_told,
    what_is_said_of_a_file_is_kept,
    a_write_is_seen_whole_or_not_at_all,
    links_out_of_home_stay_in_the_sandbox,
    signed_addresses_give_and_take_one_file,
    many_calls_at_once_are_answered,
]

# Where the system is not the sandbox's own.
SHOWN = [system_files_are_read_and_not_written]
