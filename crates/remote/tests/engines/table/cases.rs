//! The commands of the table.

use bytes::Bytes;
use garth_contract::{Command, Program, Size, Stdin, Timeout, Variables};

/// One command and what comes of it: an exit code, or the name of an error.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) outcome: &'static str,
    pub(super) command: Command,
    /// Where it runs, from the directory it has for itself.
    pub(super) workdir: Option<&'static str>,
}

/// Scripts with nothing to read: a name, the outcome, the script.
const SCRIPTS: &[(&str, &str, &str)] = &[
    // Exit codes.
    ("true", "0", "true"),
    ("false", "1", "false"),
    ("a code", "3", "exit 3"),
    ("the largest code", "255", "exit 255"),
    ("a code beyond a byte", "0", "exit 256"),
    ("a negative code", "255", "exit -1"),
    ("the code of the last command", "7", "true; (exit 7)"),
    ("the code of a function", "4", "f() { return 4; }; f"),
    ("the first failure ends it", "1", "set -e; echo one; false; echo two"),
    ("a pipe's failure", "1", "set -o pipefail; false | true"),
    ("an unset variable", "127", "set -u; echo $nothing"),
    ("an unfinished script", "2", "if true; then echo x"),
    ("a wrong option", "2", "sort --no-such-option"),
    ("python's code", "9", "python3 -c 'import sys; sys.exit(9)'"),
    ("python's exception", "1", "python3 -c 'print(1); raise ValueError(\"no\")'"),
    // Programs that are missing or cannot be run.
    ("a missing program", "127", "no-such-program --flag"),
    ("a missing path", "127", "/no/such/program"),
    ("a plain file", "126", "echo echo hi > f; ./f"),
    ("a directory", "126", "./"),
    ("a script whose program is missing", "127", "printf '#!/no/such\\n' > f; chmod +x f; ./f"),
    ("a script without a program", "0", "echo echo hi > f; chmod +x f; ./f"),
    // Signals.
    ("killed", "137", "kill -KILL $$"),
    ("terminated", "143", "kill -TERM $$"),
    ("hung up", "129", "kill -HUP $$"),
    ("a broken pipe", "141", "kill -PIPE $$"),
    ("an alarm", "142", "kill -ALRM $$"),
    ("a signal of one's own", "138", "kill -USR1 $$"),
    ("a child that is killed", "0", "(bash -c 'kill -9 $$'; echo $?) 2>/dev/null"),
    ("a caught signal", "5", "trap 'echo caught; exit 5' TERM; kill -TERM $$; echo not here"),
    ("an ignored signal", "0", "trap '' TERM; kill -TERM $$; echo still here"),
    ("nobody reads", "141", "set -o pipefail; yes | head -n 1"),
    (
        "signals are as they should be",
        "0",
        "python3 -c 'import signal; \
      print([s.name for s in signal.valid_signals() if isinstance(s, signal.Signals) and \
      signal.getsignal(s) == signal.SIG_IGN])'",
    ),
    // Both streams.
    ("nothing", "0", ":"),
    ("standard output", "0", "echo out"),
    ("standard error", "0", "echo err >&2"),
    ("both", "0", "echo out; echo err >&2; echo out again"),
    ("no newline at the end", "0", "printf 'no newline'"),
    ("only newlines", "0", "printf '\\n\\n\\n'"),
    ("carriage returns", "0", "printf 'a\\r\\nb\\r'"),
    ("a trace", "0", "set -x; true one two"),
    ("a closed output", "1", "exec >&-; echo x"),
    ("through /dev/stderr", "0", "echo x > /dev/stderr"),
    ("through /dev/fd", "0", "cat <(echo one) <(echo two)"),
    ("in order in a file", "0", "(echo 1; echo 2 >&2; echo 3) > f 2>&1; cat f"),
    // Text and bytes.
    ("unicode", "0", "echo 'grüße, 漢字, 🦀, \u{301}e'"),
    ("unicode is counted", "0", "printf 'üü漢' | wc -m"),
    ("unicode in names", "0", "echo x > 'ä 漢 🦀'; echo *"),
    ("python's unicode", "0", "python3 -c 'import sys; print(\"ü漢\", sys.stdout.encoding)'"),
    ("not UTF-8", "0", "printf '\\xff\\xfe\\x80abc'"),
    ("zeros", "0", "printf 'a\\0b\\0'"),
    ("every byte", "0", "python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(256)))'"),
    ("escapes of a terminal", "0", "printf '\\033[31mred\\033[0m\\a'"),
    // Much output.
    ("as much as is kept", "0", "head -c 51200 /dev/zero | tr '\\0' x"),
    ("a byte more than is kept", "0", "head -c 51201 /dev/zero | tr '\\0' x"),
    ("a million bytes", "0", "head -c 1000000 /dev/zero | tr '\\0' y"),
    ("many lines", "0", "seq 1 200000"),
    ("many errors", "0", "seq 1 50000 >&2"),
    ("much of both", "0", "seq 1 30000; seq 1 30000 >&2"),
    ("one long line", "0", "printf '%0200000d' 7"),
    ("twenty megabytes", "0", "head -c 20000000 /dev/zero"),
    // Who and where.
    ("the user", "0", "id -u; id -g; id -un; whoami"),
    ("the groups", "0", "id"),
    ("the home", "0", "echo $HOME ~ ~garth; cd; pwd"),
    ("the host", "0", "echo $HOSTNAME; uname -n; cat /etc/hostname"),
    ("the shell", "0", "echo $BASH_VERSION $0 $- $# $SHLVL"),
    ("no login shell", "0", "shopt -q login_shell; echo $?; shopt -q expand_aliases; echo $?"),
    ("the mask", "0", "umask; touch f; mkdir d; find f d -printf '%m %p\\n'"),
    ("another mask", "0", "umask 077; touch f; mkdir d; find f d -printf '%m %p\\n'"),
    ("who owns what is made", "0", "touch f; find f -printf '%u %g %U %G\\n'"),
    ("rights are kept to", "1", "touch f; chmod 000 f; cat f"),
    ("the working directory", "0", "pwd; cd 'sub dir'; pwd; cd ..; cd -"),
    ("it does not carry over", "0", "cd 'sub dir'; export LEFT=x"),
    ("the variables", "0", "env | grep -v '^_=' | sort"),
    ("no other variables", "0", "compgen -e | grep -c -i -E 'garth|podman|container|kube'; true"),
    ("exported variables", "0", "export A='b c'; bash -c 'echo \"$A\"'"),
    // Files.
    ("a file", "0", "echo one > f; echo two >> f; cat f; wc -c < f"),
    ("links", "0", "echo x > f; ln -s f s; ln f h; readlink s; cat s h; find f -printf '%n\\n'"),
    ("a move", "0", "mkdir d; echo x > f; mv f d/g; find . -type f"),
    ("a pipe with a name", "0", "mkfifo p; echo through > p & cat p; wait"),
    ("a missing file", "1", "cat no-such-file"),
    ("temporary files", "0", "f=$(mktemp); echo ${f%/*}; echo x > $f; cat $f; rm $f"),
    ("a private /tmp", "0", "echo x > /tmp/table && cat /tmp/table"),
    ("the null device", "0", "cat /dev/null; echo x > /dev/null; head -c 3 /dev/zero | wc -c"),
    ("glob order", "0", "touch b a C 10 9; echo *"),
    // What a shell does.
    ("a here document", "0", "cat <<'END'\nas $it is\nEND"),
    ("arithmetic", "0", "echo $((2**62)) $((7/2)) $((-7%3))"),
    ("arrays", "0", "a=(one 'two three' four); echo ${#a[@]} \"${a[1]}\""),
    ("patterns", "0", "x=abc.tar.gz; echo ${x%%.*} ${x##*.} ${x/tar/zip}"),
    ("a pipeline", "0", "seq 1000 | sort -rn | head -n 3 | tr '\\n' ' '"),
    ("codes of a pipeline", "0", "false | true | (exit 3); echo ${PIPESTATUS[@]}"),
    ("a job", "0", "(sleep 0.05; exit 6) & wait $!; echo $?"),
    ("a job that holds the output", "0", "sleep 1000 & echo done"),
    ("a daemon", "0", "setsid sleep 1000 & (setsid sleep 1000 &); echo done"),
    ("exec", "0", "exec echo replaced"),
    ("sorting", "0", "printf 'b\\nA\\na\\nB\\n' | sort"),
    ("a date", "0", "TZ=UTC date -d @86400 '+%F %T'"),
    ("dates of the day's zone", "0", "date -d @0 '+%z'"),
    (
        "sed and awk",
        "0",
        "printf 'a 1\\nb 2\\n' | sed s/a/z/ | awk '{ s += $2; print $1 } END { print s }'",
    ),
    // What it reads.
    ("nothing to read", "0", "cat; echo ended"),
    ("no line to read", "1", "read -r line"),
    ("no terminal", "1", "test -t 0 || test -t 1 || test -t 2"),
];

/// All of them.
pub(super) fn cases() -> Vec<Case> {
    let script = |&(name, outcome, text): &(&'static str, &'static str, &str)| Case {
        name,
        outcome,
        command: Command::new(Program::script(text).unwrap()),
        workdir: None,
    };
    let mut cases: Vec<_> = SCRIPTS.iter().map(script).collect();
    cases.extend(arguments());
    cases.extend(given());
    cases.extend(timeouts());
    cases.extend(places());
    cases
}

fn of(name: &'static str, outcome: &'static str, text: &str) -> Case {
    let command = Command::new(Program::script(text).unwrap());
    Case { name, outcome, command, workdir: None }
}

/// Programs without a shell.
fn arguments() -> Vec<Case> {
    let of = |name, outcome, words: &[&[u8]]| {
        let words = words.iter().map(|word| word.to_vec()).collect();
        let command = Command::new(Program::arguments(words).unwrap());
        Case { name, outcome, command, workdir: None }
    };
    vec![
        of("arguments as they are", "0", &[b"printf", b"[%s]", b"a b", b"", b"$HOME", b"*"]),
        of("an argument that is not UTF-8", "0", &[b"printf", b"%s", b"\xff\xfe"]),
        of("a missing program without a shell", "127", &[b"no-such-program"]),
        of("a missing path without a shell", "127", &[b"/no/such/program"]),
        of("a directory without a shell", "126", &[b"/usr"]),
        of("a file without a shell", "126", &[b"/etc/passwd"]),
    ]
}

/// Commands that are given something.
fn given() -> Vec<Case> {
    let reads = |name, text, bytes: Bytes| {
        let mut case = of(name, "0", text);
        case.command.stdin = Stdin::Bytes(bytes);
        case
    };
    let with = |name, text, variables: &[(&str, &str)]| {
        let mut case = of(name, "0", text);
        let pair = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        case.command.variables = Variables::new(variables.iter().map(pair)).unwrap();
        case
    };
    let bytes: Vec<u8> = (0..=255).cycle().take(40_000).collect();
    let mut terminal = of("a terminal", "0", "stty size; test -t 0 && test -t 1 && echo both");
    terminal.command.terminal = Some(Size { rows: 31, columns: 97 });
    vec![
        reads("lines to read", "while read -r l; do echo \"<$l>\"; done", "one\ntwo\n".into()),
        reads("bytes to read", "cat", bytes.into()),
        reads("much to read", "wc -c", vec![b'x'; 3_000_000].into()),
        reads("more than is read", "head -c 5; exit 0", vec![b'y'; 1_000_000].into()),
        with("a variable", "echo \"$V\"", &[("V", "given")]),
        with("an odd variable", "printf %s \"$V\"", &[("V", " a\n'b' \"c\" $d 漢")]),
        with("an empty variable", "echo ${V-unset} ${V:-empty}", &[("V", "")]),
        with("another home", "echo $HOME ~; env | grep -c ^HOME=", &[("HOME", "/tmp")]),
        Case { outcome: "127", ..with("another path", "true", &[("PATH", "/nowhere")]) },
        with("another language", "printf 'üü' | wc -m", &[("LC_ALL", "C")]),
        terminal,
    ]
}

/// Commands that take too long.
fn timeouts() -> Vec<Case> {
    let after = |millis, mut case: Case| {
        case.command.timeout = Timeout::millis(millis).unwrap();
        case
    };
    // Long enough that a busy machine has begun the command by then.
    let begun = 8_000;
    vec![
        after(200, of("no time", "143", "exec sleep 1000")),
        after(begun, of("what was printed in time", "143", "echo in time; exec sleep 1000")),
        after(
            begun,
            of("a last word", "9", "trap 'echo bye; exit 9' TERM; echo hi; sleep 1000 & wait"),
        ),
        after(
            begun,
            of("one that will not go", "137", "trap '' TERM; echo no; sleep 1000; sleep 1000"),
        ),
    ]
}

/// Commands in other places than the root.
fn places() -> Vec<Case> {
    let at = |workdir, mut case: Case| {
        case.workdir = Some(workdir);
        case
    };
    vec![
        at("sub dir", of("another place", "0", "pwd; echo $PWD; touch f; echo ../*/f")),
        at("missing", of("a missing place", "FILE_NOT_FOUND", "true")),
    ]
}
