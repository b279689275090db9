//! Names with a secret in them: never shown, and still of use.

use garth_contract::{
    Clobber, Collect, Facts, Glob, Guard, Hidden, Ignored, Kinds, Order, Owned, Policy, Reach,
};
use garth_memory::Memory;

use super::*;
use crate::{
    Workspace,
    fixture::{memory, over as workspace_over, wait},
};

const TOKEN: &str = concat!("gh", "p_XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg");
const OTHER: &str = concat!("gh", "p_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5");
const SHOWN: &str = "[REDACTED: GITHUB_TOKEN]";

fn path(text: &str) -> WsPath {
    WsPath::from_bytes(text.as_bytes()).unwrap()
}

/// A workspace with files of these names.
fn with(names: &[&str]) -> (Arc<Memory>, Workspace) {
    let memory = memory();
    for name in names {
        wait(Filesystem::write(&*memory, &path(name), Bytes::from_static(b"x\n"), put())).unwrap();
    }
    let workspace = workspace_over(&memory);
    (memory, workspace)
}

fn put() -> Put {
    Put { guard: Guard::Any, parents: Parents::Create, mode: None }
}

fn listed(workspace: &Workspace, dir: &str) -> Vec<String> {
    let page = Page { skip: 0, take: 100 };
    let listing = wait(workspace.fs().list(&path(dir), page)).unwrap();
    listing.entries.iter().map(|entry| entry.path.to_string()).collect()
}

fn code<T>(result: Result<T>) -> Code {
    result.map(drop).unwrap_err().code()
}

#[test]
fn a_listing_shows_a_placeholder_where_a_name_holds_a_secret() {
    let name = format!("keys/{TOKEN}/a.txt");
    let (_, workspace) = with(&["keys/plain.txt", &name, &format!("keys/old-{OTHER}.bak")]);
    let shown = [SHOWN.to_owned(), format!("old-{SHOWN}.bak"), "plain.txt".to_owned()];
    assert_eq!(listed(&workspace, "keys"), shown.map(|name| format!("keys/{name}")));
    assert_eq!(listed(&workspace, &format!("keys/{SHOWN}")), [format!("keys/{SHOWN}/a.txt")]);
}

#[test]
fn the_shown_name_leads_to_the_file() {
    let (memory, workspace) = with(&[&format!("{TOKEN}/a.txt")]);
    let shown = path(&format!("{SHOWN}/a.txt"));
    let entry = wait(workspace.fs().stat(&shown, Links::Keep)).unwrap();
    assert_eq!(entry.path, shown);
    wait(workspace.fs().write(&shown, Bytes::from_static(b"new\n"), put())).unwrap();
    let span = Span::Whole { at_most: 100 };
    let real = path(&format!("{TOKEN}/a.txt"));
    assert_eq!(wait(Filesystem::read(&*memory, &real, span)).unwrap().bytes, "new\n");
    assert_eq!(wait(workspace.fs().read(&shown, span)).unwrap().bytes, "new\n");
    wait(workspace.fs().remove(&shown, Depth::One)).unwrap();
    assert_eq!(code(wait(Filesystem::stat(&*memory, &real, Links::Keep))), Code::FileNotFound);
}

#[test]
fn who_knows_the_name_can_use_it() {
    let (_, workspace) = with(&[TOKEN, OTHER]);
    let span = Span::Whole { at_most: 100 };
    assert_eq!(wait(workspace.fs().read(&path(TOKEN), span)).unwrap().bytes, "x\n");
    wait(workspace.fs().write(&path(&format!("new/{TOKEN}")), Bytes::new(), put())).unwrap();
    assert_eq!(listed(&workspace, "new"), [format!("new/{SHOWN}")]);
}

#[test]
fn a_shown_name_that_means_no_single_file_is_refused() {
    let (memory, workspace) = with(&[TOKEN, OTHER, "d/x"]);
    let span = Span::Whole { at_most: 100 };
    assert_eq!(code(wait(workspace.fs().read(&path(SHOWN), span))), Code::RedactedContent);
    for place in [format!("d/{SHOWN}"), format!("none/{SHOWN}/x")] {
        let written = wait(workspace.fs().write(&path(&place), Bytes::new(), put()));
        assert_eq!(code(written), Code::RedactedContent, "{place}");
    }
    // A file whose name is the placeholder itself looks like the other one.
    wait(Filesystem::remove(&*memory, &path(OTHER), Depth::One)).unwrap();
    wait(Filesystem::write(&*memory, &path(SHOWN), Bytes::new(), put())).unwrap();
    assert_eq!(code(wait(workspace.fs().read(&path(SHOWN), span))), Code::RedactedContent);
    wait(Filesystem::remove(&*memory, &path(TOKEN), Depth::One)).unwrap();
    assert_eq!(wait(workspace.fs().read(&path(SHOWN), span)).unwrap().size, 0);
}

#[test]
fn what_is_moved_keeps_its_name() {
    let (memory, workspace) = with(&[TOKEN, "d/x"]);
    let how = Move { clobber: Clobber::Refuse, parents: Parents::Require };
    let to = path(&format!("d/{SHOWN}"));
    wait(workspace.fs().rename(&path(SHOWN), &to, how)).unwrap();
    let real = path(&format!("d/{TOKEN}"));
    assert!(wait(Filesystem::stat(&*memory, &real, Links::Keep)).is_ok());
    wait(workspace.fs().rename(&to, &path("plain"), how)).unwrap();
    assert!(wait(Filesystem::stat(&*memory, &path("plain"), Links::Keep)).is_ok());
}

#[test]
fn no_error_tells_the_name() {
    let (_, workspace) = with(&[&format!("{TOKEN}/a.txt")]);
    let fs = workspace.fs();
    let dir = path(SHOWN);
    let span = Span::Whole { at_most: 1 };
    let how = Move { clobber: Clobber::Refuse, parents: Parents::Require };
    let inner = path(&format!("{SHOWN}/a.txt"));
    let errors = [
        wait(fs.read(&dir, span)).map(drop),
        wait(fs.read(&inner, span)).map(drop),
        wait(fs.stat(&path(&format!("{SHOWN}/none")), Links::Keep)).map(drop),
        wait(fs.stat(&path(&format!("{TOKEN}/none")), Links::Keep)).map(drop),
        wait(fs.list(&inner, Page { skip: 0, take: 1 })).map(drop),
        wait(fs.remove(&dir, Depth::One)).map(drop),
        wait(fs.rename(&dir, &path(&format!("{SHOWN}/d")), how)).map(drop),
        wait(fs.rename(&path("none"), &inner, how)).map(drop),
        wait(fs.make_dir(&inner, Parents::Require)).map(drop),
        wait(fs.write(&dir, Bytes::new(), put())).map(drop),
        wait(fs.receive(&dir)).map(drop),
    ];
    for error in errors {
        let error = error.unwrap_err();
        let told = format!("{error:?} {error} {:?} {}", error.path(), error.advice());
        assert!(!told.contains(TOKEN), "{told}");
    }
}

/// The names that a search below `base` finds behind `after`.
fn found(workspace: &Workspace, base: &str, after: Option<&str>) -> Vec<String> {
    found_by(workspace, (base, after), Glob::Path("**/*.rs".to_owned()))
}

fn found_by(workspace: &Workspace, (base, after): (&str, Option<&str>), glob: Glob) -> Vec<String> {
    let query = Query {
        base: path(base),
        reach: Reach::Tree,
        include: vec![glob],
        exclude: Vec::new(),
        kinds: Kinds::Files,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
        grep: None,
        facts: Facts::Names,
        order: Order::Path,
        skip: 0,
        take: 10,
        after: after.map(path),
    };
    let sink = Arc::new(Collect::default());
    wait(workspace.fs().find(&query, Arc::<Collect>::clone(&sink))).unwrap();
    let paths = sink.take().into_iter().map(|found| {
        let Owned::Name(path, _) = found else { panic!("{found:?}") };
        path.to_string()
    });
    paths.collect()
}

#[test]
fn a_search_tells_shown_paths_and_takes_one() {
    let (_, workspace) = with(&[&format!("a/{TOKEN}/f.rs"), "a/g.rs"]);
    assert_eq!(found(&workspace, "a", None), ["a/g.rs".to_owned(), format!("a/{SHOWN}/f.rs")]);
    assert_eq!(found(&workspace, &format!("a/{SHOWN}"), None), [format!("a/{SHOWN}/f.rs")]);
}

#[test]
fn a_search_goes_on_behind_a_shown_path() {
    // Among the real names the secret is in the middle, and its placeholder would be first.
    let (_, workspace) = with(&["a.rs", &format!("{TOKEN}.rs"), "z.rs"]);
    let shown = format!("{SHOWN}.rs");
    assert_eq!(found(&workspace, "", None), ["a.rs", &shown, "z.rs"]);
    assert_eq!(found(&workspace, "", Some(&shown)), ["z.rs"]);
}

#[test]
fn a_shown_name_in_a_pattern_stands_for_the_names_that_look_so() {
    let odd = "b/password = \"gr[e]en*{4508}\"";
    let (_, workspace) =
        with(&[&format!("a/{TOKEN}/f.rs"), &format!("a/{OTHER}/g.rs"), odd, "a/R/h.rs"]);
    let all = [format!("a/{SHOWN}/f.rs"), format!("a/{SHOWN}/g.rs")];
    for glob in [
        Glob::Path(format!("a/{SHOWN}/*.rs")),
        Glob::Path(format!("a/{SHOWN}/**")),
        Glob::Filter(format!("a/{SHOWN}/?.rs")),
    ] {
        let mut found = found_by(&workspace, ("", None), glob.clone());
        found.sort();
        assert_eq!(found, all, "{glob:?}");
    }
    // What a secret is made of is no pattern.
    let odd = "b/password = \"[REDACTED: DATABASE_PASSWORD]\"".to_owned();
    assert_eq!(found_by(&workspace, ("", None), Glob::Path(odd.clone())), [odd]);
    let below = Glob::Path(format!("{SHOWN}/f.rs"));
    assert_eq!(found_by(&workspace, ("a", None), below), [format!("a/{SHOWN}/f.rs")]);
}

#[test]
fn a_pattern_behind_a_pattern_is_left_as_it_is() {
    let (_, workspace) = with(&[&format!("a/{TOKEN}.rs"), "a/R.rs"]);
    // The brackets are a class of letters, as in any pattern.
    for glob in [Glob::Path(format!("*/{SHOWN}.rs")), Glob::Filter(format!("{SHOWN}.rs"))] {
        assert_eq!(found_by(&workspace, ("", None), glob), ["a/R.rs"]);
    }
}

#[test]
fn a_watch_tells_shown_paths() {
    let (memory, workspace) = with(&["d/x"]);
    let spec = WatchSpec {
        path: path("d"),
        reach: Reach::Tree,
        hidden: Hidden::Include,
        ignored: Ignored::Include,
    };
    let event = wait(async {
        let mut watch = workspace.fs().watch(&spec).await.unwrap();
        let name = path(&format!("d/{TOKEN}"));
        Filesystem::write(&*memory, &name, Bytes::new(), put()).await.unwrap();
        std::future::poll_fn(|context| watch.as_mut().poll_next(context)).await
    });
    let Some(Event::Changed { path: told, .. }) = event else { panic!("{event:?}") };
    assert_eq!(told, path(&format!("d/{SHOWN}")));
}

#[test]
fn a_name_that_is_no_text_or_too_long_is_hidden_whole() {
    let names = Names { redactor: Redactor::new(&garth_redact::Config::standard()).unwrap() };
    let odd = [TOKEN.as_bytes(), b" \xff".as_slice()].concat();
    assert_eq!(names.shown_name(&odd).as_deref(), Some(SHOWN));
    let long = format!("{} password=hunter2", "x".repeat(235));
    assert!(long.len() <= MAX_NAME);
    assert_eq!(names.shown_name(long.as_bytes()).as_deref(), Some("[REDACTED: DATABASE_PASSWORD]"));
    assert_eq!(names.shown(&path("src/token/secret.rs")), None);
}

#[test]
fn names_pass_as_they_are_where_nothing_is_redacted() {
    let memory = Arc::new(Memory::new(Policy::open()).unwrap());
    wait(Filesystem::write(&*memory, &path(TOKEN), Bytes::new(), put())).unwrap();
    let workspace = Workspace::new(crate::Parts {
        fs: memory,
        commands: crate::Commands::None,
        aliases: garth_contract::Aliases::none(),
        redaction: garth_redact::Config { enabled: false, ..garth_redact::Config::standard() },
        limits: crate::Limits::standard(),
    });
    assert_eq!(listed(&workspace.unwrap(), ""), [TOKEN]);
}
