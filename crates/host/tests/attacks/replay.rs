//! The attacks, one function each, named by their id in the shared corpus.

use std::{
    fs,
    future::Future,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::Path,
    pin::Pin,
};

use garth_contract::{
    Aliases, Code, Depth, Filesystem, Guard, HardLinks, Links, Page, Parents, Policy, Put, Span,
};
use garth_host::Host;
use rustix::fs::{CWD, FileType, Mode, mkfifoat, mknodat};

use crate::yard::{SECRET, Yard, codes, held, put};

pub(crate) struct Attack {
    pub(crate) id: &'static str,
    pub(crate) run: for<'a> fn(&'a Yard) -> Pin<Box<dyn Future<Output = ()> + 'a>>,
}

macro_rules! attacks {
    ($($id:literal $run:ident;)*) => {
        pub(crate) const ATTACKS: &[Attack] =
            &[$(Attack { id: $id, run: |yard| Box::pin($run(yard)) },)*];
    };
}

attacks! {
    "P01" traversal;
    "P02" prefix;
    "P04" link_to_a_directory;
    "P05" dangling_link;
    "P07" link_then_dots;
    "P08" dots_on_a_missing_path;
    "P10" traversal;
    "P11" absolute_paths;
    "P13" swap_between_look_and_write;
    "P14" hard_links;
    "P16" pipes_and_devices;
    "P17" magic_links;
    "P19" null_bytes;
    "P20" temporary_file_outside;
    "P22" protected_before_it_exists;
    "P23" planted_link_to_a_home;
    "P25" case_aliases;
    "P28" quotes_and_spaces;
    "P29" tilde;
    "P31" names_that_forge_lines;
    "P35" absolute_paths;
    "P37" names_that_look_like_options;
    "own: link loops" link_loops;
    "own: absolute links inside" absolute_links_inside;
    "own: rules through links" rules_through_links;
    "own: outside reveals nothing" outside_reveals_nothing;
}

async fn traversal(yard: &Yard) {
    for path in [
        "../OUT/secret",
        "a/../../OUT/secret",
        "./../OUT/secret",
        "a//..//..//OUT/secret",
        "/workspace/../OUT/secret",
        &format!("{}/../OUT/secret", yard.root.display()),
    ] {
        let outcomes = yard.all_operations(path).await;
        assert_eq!(codes(&outcomes), [Code::PathOutsideWorkspace], "{path}");
    }
}

async fn prefix(yard: &Yard) {
    for path in
        [format!("{}_evil/secret", yard.root.display()), "/workspace_evil/secret".to_owned()]
    {
        assert_eq!(yard.read(&path).await, Err(Code::PathOutsideWorkspace), "{path}");
    }
}

async fn link_to_a_directory(yard: &Yard) {
    yard.link(&yard.out, "linkdir");
    yard.link("../OUT", "relative");
    yard.link("../../OUT/sub", "a/deeper");
    for path in [
        "linkdir",
        "linkdir/secret",
        "linkdir/sub",
        "linkdir/sub/secret",
        "relative",
        "relative/secret",
        "a/deeper",
        "a/deeper/secret",
        "linkdir/missing",
        "relative/missing/x",
    ] {
        let outcomes = yard.all_operations(path).await;
        for (operation, outcome) in outcomes {
            let refused = matches!(outcome, Err(Code::PathOutsideWorkspace | Code::Unsupported));
            // With its source refused as outside, a move never looks at its destination;
            // `a/in.txt` stays where it is, so later ones find it too.
            assert!(refused, "{operation} {path}: {outcome:?}");
        }
    }
}

async fn dangling_link(yard: &Yard) {
    yard.link(yard.out.join("new.txt"), "dang");
    yard.link("../OUT/new.txt", "dang2");
    for path in ["dang", "dang2"] {
        assert_eq!(yard.write(path, "x").await, Err(Code::PathOutsideWorkspace));
        yard.all_operations(path).await;
    }
    assert!(!yard.out.join("new.txt").exists());
}

async fn link_then_dots(yard: &Yard) {
    fs::create_dir(yard.root.join("sub")).unwrap();
    yard.link("..", "sub/up");
    yard.link("../..", "sub/upup");
    fs::create_dir(yard.root.join("outside")).unwrap();
    fs::write(yard.root.join("outside/secret.txt"), "inside after all").unwrap();
    // As text this is `sub/outside/secret.txt`, which is not there.
    assert_eq!(yard.read("sub/up/../outside/secret.txt").await, Err(Code::FileNotFound));
    assert_eq!(yard.read("sub/up/outside/secret.txt").await, Ok(b"inside after all".to_vec()));
    assert_eq!(yard.read("sub/upup/OUT/secret").await, Err(Code::PathOutsideWorkspace));
    yard.all_operations("sub/upup/OUT").await;
}

async fn dots_on_a_missing_path(yard: &Yard) {
    assert_eq!(yard.write("dir1/../dir2/pwned.txt", "x").await, Ok(()));
    assert!(yard.root.join("dir2/pwned.txt").exists());
    assert!(!yard.root.join("dir1").exists());
    let outcome = yard.write("dir1/../../dir2/pwned.txt", "x").await;
    assert_eq!(outcome, Err(Code::PathOutsideWorkspace));
}

async fn absolute_paths(yard: &Yard) {
    for path in ["/etc/shadow", "/etc", "/proc/self/environ", "//etc/passwd", "/./etc/passwd"] {
        let outcomes = yard.all_operations(path).await;
        assert_eq!(codes(&outcomes), [Code::PathOutsideWorkspace], "{path}");
    }
}

async fn swap_between_look_and_write(yard: &Yard) {
    fs::create_dir(yard.root.join("approved")).unwrap();
    fs::write(yard.root.join("approved/f"), "old").unwrap();
    fs::write(yard.root.join("other"), "old").unwrap();
    let path = yard.path("approved/f").unwrap();
    let seen = Filesystem::read(&yard.host, &path, Span::Whole { at_most: 99 }).await.unwrap();
    let guard = Guard::Unchanged(seen.version().unwrap());
    fs::rename(yard.root.join("approved"), yard.root.join("aside")).unwrap();
    symlink(&yard.out, yard.root.join("approved")).unwrap();
    let put = Put { guard, parents: Parents::Create, mode: None };
    let outcome = held("swap", Filesystem::write(&yard.host, &path, "new".into(), put)).await;
    assert_eq!(outcome.map_err(|error| error.code()), Err(Code::PathOutsideWorkspace));
    assert_eq!(fs::read_to_string(yard.root.join("aside/f")).unwrap(), "old");
}

async fn hard_links(yard: &Yard) {
    fs::hard_link(yard.out.join("secret"), yard.root.join("hard")).unwrap();
    let strict = yard.with_policy(Policy { hard_links: HardLinks::Refuse, ..Policy::open() });
    let path = yard.path("hard").unwrap();
    let read = Filesystem::read(&strict, &path, Span::Whole { at_most: 99 }).await;
    assert_eq!(read.map_err(|error| error.code()), Err(Code::PermissionDenied));
    // Allowed by default; a write breaks the link instead of going through it.
    assert_eq!(yard.write("hard", "mine").await, Ok(()));
    assert_eq!(fs::read_to_string(yard.out.join("secret")).unwrap(), SECRET);
    assert_eq!(fs::read_to_string(yard.root.join("hard")).unwrap(), "mine");
}

async fn pipes_and_devices(yard: &Yard) {
    mkfifoat(CWD, yard.root.join("fifo"), Mode::from_raw_mode(0o666)).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(yard.root.join("socket")).unwrap();
    let zero = rustix::fs::makedev(1, 5);
    let device = yard.root.join("zero");
    let made = mknodat(CWD, &device, FileType::CharacterDevice, Mode::from_raw_mode(0o666), zero);
    yard.link("fifo", "to_fifo");
    let mut names = vec!["fifo", "socket", "to_fifo"];
    if made.is_ok() {
        names.push("zero");
    }
    for name in names {
        assert_eq!(yard.read(name).await, Err(Code::NotAFile), "{name}");
        assert_eq!(yard.write(name, "x").await, Err(Code::NotAFile), "{name}");
        yard.all_operations(name).await;
    }
    let page = Page { skip: 0, take: 100 };
    let root = yard.path("").unwrap();
    let listing = held("list", Filesystem::list(&yard.host, &root, page)).await.unwrap();
    let kinds: Vec<_> = listing.entries.iter().map(|entry| entry.kind).collect();
    assert!(kinds.contains(&garth_contract::Kind::Fifo));
    assert!(kinds.contains(&garth_contract::Kind::Socket));
}

async fn magic_links(yard: &Yard) {
    yard.link("/proc/self/root", "root_link");
    yard.link("/proc/self/fd/0", "fd");
    yard.link("/proc/self/cwd", "cwd");
    yard.link("/proc/self/environ", "environ");
    for path in ["root_link/etc/passwd", "root_link", "fd", "cwd/Cargo.toml", "environ"] {
        assert_eq!(yard.read(path).await, Err(Code::PathOutsideWorkspace), "{path}");
        yard.all_operations(path).await;
    }
    // A workspace that is /proc itself has the real magic links in it.
    let proc = Host::open(Path::new("/proc/self"), Policy::open(), Aliases::none()).unwrap();
    for path in ["root/etc/hostname", "cwd/Cargo.toml"] {
        let path = yard.path(path).unwrap();
        let read = Filesystem::read(&proc, &path, Span::Whole { at_most: 1 << 20 }).await;
        assert_eq!(read.map_err(|error| error.code()), Err(Code::PathOutsideWorkspace), "{path}");
    }
}

async fn null_bytes(yard: &Yard) {
    for path in ["a.txt\0.png", "a/in.txt\0", r"a/in.txt\x00"] {
        assert_eq!(yard.read(path).await, Err(Code::InvalidPath), "{path:?}");
        assert_eq!(yard.write(path, "x").await, Err(Code::InvalidPath), "{path:?}");
    }
}

async fn temporary_file_outside(yard: &Yard) {
    for path in ["", ".", "/", "/workspace", yard.root.to_str().unwrap()] {
        assert_eq!(yard.write(path, "x").await, Err(Code::NotAFile), "{path:?}");
    }
}

async fn protected_before_it_exists(yard: &Yard) {
    let protect = [".agent/settings.json", ".git/hooks/**", ".vscode"].map(str::to_owned).to_vec();
    let deny = vec!["secrets/**".to_owned()];
    let host = yard.with_policy(Policy { protect, deny, ..Policy::open() });
    for path in [
        ".agent/settings.json",
        ".git/hooks/pre-commit",
        ".vscode/tasks.json",
        "x/../.agent/settings.json",
        "secrets/key",
    ] {
        let path = yard.path(path).unwrap();
        let written = held("protect", Filesystem::write(&host, &path, "x".into(), put())).await;
        assert_eq!(written.map_err(|e| e.code()), Err(Code::PermissionDenied), "{path}");
        assert!(!yard.root.join(path.to_string()).exists(), "{path}");
    }
    let free = yard.path(".agent/other.json").unwrap();
    held("free", Filesystem::write(&host, &free, "x".into(), put())).await.unwrap();
    // Nor can a directory that is allowed be renamed into a protected place.
    fs::create_dir_all(yard.root.join("mine")).unwrap();
    fs::write(yard.root.join("mine/tasks.json"), "{}").unwrap();
    let how =
        garth_contract::Move { clobber: garth_contract::Clobber::Refuse, parents: Parents::Create };
    let (from, to) = (yard.path("mine").unwrap(), yard.path(".vscode").unwrap());
    let moved = held("move", Filesystem::rename(&host, &from, &to, how)).await;
    assert_eq!(moved.map_err(|error| error.code()), Err(Code::PermissionDenied));
    // Nor one that holds what is protected once it is there.
    fs::remove_dir_all(yard.root.join(".agent")).unwrap();
    fs::write(yard.root.join("mine/settings.json"), "{}").unwrap();
    let to = yard.path(".agent").unwrap();
    let moved = held("move", Filesystem::rename(&host, &from, &to, how)).await;
    assert_eq!(moved.map_err(|error| error.code()), Err(Code::PermissionDenied));
}

async fn planted_link_to_a_home(yard: &Yard) {
    yard.link(yard.out.join(".ssh"), "x");
    assert_eq!(yard.write("x/authorized_keys", "k").await, Err(Code::PathOutsideWorkspace));
    assert!(fs::read_dir(yard.out.join(".ssh")).unwrap().next().is_none());
}

async fn case_aliases(yard: &Yard) {
    let protect = vec![".cursor/mcp.json".to_owned()];
    let host = yard.with_policy(Policy { protect, ..Policy::open() });
    let exact = yard.path(".cursor/mcp.json").unwrap();
    let written = held("case", Filesystem::write(&host, &exact, "x".into(), put())).await;
    assert_eq!(written.map_err(|error| error.code()), Err(Code::PermissionDenied));
    // On a file system that tells cases apart this is another file, and free.
    let alias = yard.path(".cUrSoR/mcp.json").unwrap();
    held("case", Filesystem::write(&host, &alias, "x".into(), put())).await.unwrap();
    assert!(!yard.root.join(".cursor").exists());
}

async fn quotes_and_spaces(yard: &Yard) {
    for name in ["sp ", " sp", "q'uote'", "\"quoted\"", "sp", "tab\t"] {
        assert_eq!(yard.write(name, name).await, Ok(()));
    }
    for name in ["sp ", " sp", "q'uote'", "\"quoted\"", "sp", "tab\t"] {
        assert_eq!(yard.read(name).await, Ok(name.as_bytes().to_vec()));
    }
}

async fn tilde(yard: &Yard) {
    assert_eq!(yard.read("~").await, Err(Code::FileNotFound));
    assert_eq!(yard.read("~root/x").await, Err(Code::FileNotFound));
    assert_eq!(yard.write("~", "a file").await, Ok(()));
    assert_eq!(fs::read_to_string(yard.root.join("~")).unwrap(), "a file");
}

async fn names_that_forge_lines(yard: &Yard) {
    use std::ffi::OsStr;
    fs::write(yard.root.join("x\n[DIR] fake"), "1").unwrap();
    fs::write(yard.root.join(OsStr::from_bytes(b"caf\xe9")), "2").unwrap();
    let root = yard.path("").unwrap();
    let page = Page { skip: 0, take: 100 };
    let listing = held("list", Filesystem::list(&yard.host, &root, page)).await.unwrap();
    let shown: Vec<String> = listing.entries.iter().map(|entry| entry.path.to_string()).collect();
    assert_eq!(shown, ["a", r"caf\xe9", r"x\x0a[DIR] fake"]);
    assert_eq!(yard.read(r"x\x0a[DIR] fake").await, Ok(b"1".to_vec()));
    assert_eq!(yard.read(r"caf\xe9").await, Ok(b"2".to_vec()));
}

async fn names_that_look_like_options(yard: &Yard) {
    for name in ["-rf", "--help", "--include=x", "-e"] {
        assert_eq!(yard.write(name, "data").await, Ok(()));
        let path = yard.path(name).unwrap();
        held(name, Filesystem::remove(&yard.host, &path, Depth::All)).await.unwrap();
    }
    assert!(yard.root.join("a/in.txt").exists());
}

async fn link_loops(yard: &Yard) {
    yard.link("loop2", "loop1");
    yard.link("loop1", "loop2");
    yard.link("self/x", "self");
    for path in ["loop1", "loop2/x", "self", "self/y"] {
        assert_eq!(yard.read(path).await, Err(Code::InvalidPath), "{path}");
        assert_eq!(yard.write(path, "x").await, Err(Code::InvalidPath), "{path}");
        yard.all_operations(path).await;
    }
}

async fn absolute_links_inside(yard: &Yard) {
    yard.link(yard.root.join("a/in.txt"), "by_path");
    yard.link("/workspace/a/in.txt", "by_alias");
    yard.link("/workspace/a", "dir");
    yard.link("/workspace/a/../../OUT/secret", "climbs");
    for path in ["by_path", "by_alias", "dir/in.txt"] {
        assert_eq!(yard.read(path).await, Ok(b"inside".to_vec()), "{path}");
        assert_eq!(yard.write(path, "inside").await, Ok(()), "{path}");
    }
    assert!(fs::symlink_metadata(yard.root.join("by_path")).unwrap().is_symlink());
    assert_eq!(yard.write("dir/new/x", "made").await, Ok(()));
    assert_eq!(fs::read_to_string(yard.root.join("a/new/x")).unwrap(), "made");
    assert_eq!(yard.read("climbs").await, Err(Code::PathOutsideWorkspace));
}

async fn rules_through_links(yard: &Yard) {
    fs::write(yard.root.join("a/key.pem"), SECRET).unwrap();
    yard.link("a/key.pem", "innocent");
    yard.link("a", "door");
    let host = yard.with_policy(Policy { deny: vec!["*.pem".to_owned()], ..Policy::open() });
    for path in ["a/key.pem", "innocent", "door/key.pem"] {
        let path = yard.path(path).unwrap();
        let read = Filesystem::read(&host, &path, Span::Whole { at_most: 99 }).await;
        assert_eq!(read.map_err(|error| error.code()), Err(Code::PermissionDenied), "{path}");
        let stat = Filesystem::stat(&host, &path, Links::Follow).await;
        assert_eq!(stat.map_err(|error| error.code()), Err(Code::PermissionDenied), "{path}");
    }
    let by_path = yard.with_policy(Policy { deny: vec!["a/key.pem".to_owned()], ..Policy::open() });
    for dir in ["a", "door"] {
        let page = Page { skip: 0, take: 9 };
        let dir = yard.path(dir).unwrap();
        let listing = Filesystem::list(&by_path, &dir, page).await.unwrap();
        let names: Vec<_> = listing.entries.iter().filter_map(|entry| entry.path.name()).collect();
        assert_eq!(names, [b"b".as_slice(), b"in.txt"], "{dir}");
    }
    // A directory that holds something denied can be neither removed nor moved away.
    let dir = yard.path("a").unwrap();
    let removed = Filesystem::remove(&host, &dir, Depth::All).await;
    assert_eq!(removed.map_err(|error| error.code()), Err(Code::PermissionDenied));
    assert!(yard.root.join("a/key.pem").exists() && yard.root.join("a/in.txt").exists());
}

async fn outside_reveals_nothing(yard: &Yard) {
    yard.link(yard.out.join("secret"), "there");
    yard.link(yard.out.join("missing"), "nowhere");
    yard.link("../OUT/secret", "there2");
    yard.link("../OUT/missing", "nowhere2");
    for (there, nowhere) in [("there", "nowhere"), ("there2", "nowhere2")] {
        let (one, other) = (yard.all_operations(there).await, yard.all_operations(nowhere).await);
        assert_eq!(one, other);
        let message = |path: &str| {
            let path = yard.path(path).unwrap();
            async move {
                let whole = Span::Whole { at_most: 9 };
                let error = Filesystem::read(&yard.host, &path, whole).await.unwrap_err();
                error.to_string().replace(&path.to_string(), "PATH")
            }
        };
        assert_eq!(message(there).await, message(nowhere).await);
    }
}
