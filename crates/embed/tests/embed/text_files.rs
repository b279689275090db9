//! The view in two verbs, on files in RAM and on disk.

use std::{error::Error as _, path::PathBuf, sync::Arc};

use garth_embed::{
    Access, Backend, Code, Config, Error, Fingerprint, FsBackend, FsError, Limits, Policy, Setup,
    TextFiles,
};

use crate::fixture::memory;

fn view(backend: Backend) -> Arc<dyn FsBackend> {
    Arc::new(TextFiles::new(Setup::standard(backend).workspace().unwrap()))
}

fn on_disk() -> (tempfile::TempDir, Arc<dyn FsBackend>) {
    let directory = tempfile::tempdir().unwrap();
    let backend = Backend::host(directory.path(), Policy::open()).unwrap();
    (directory, view(backend))
}

fn path(text: &str) -> PathBuf {
    PathBuf::from(text)
}

#[tokio::test]
async fn what_is_written_is_read_and_parents_are_made() {
    let (directory, disk) = on_disk();
    for files in [disk, view(memory())] {
        files.write_text(path("deep/er/a.txt"), "one\ntwo\n".into()).await.unwrap();
        let text = files.read_text(path("deep/er/a.txt"), None, None).await.unwrap();
        assert_eq!(text, "one\ntwo\n");
    }
    let disk = std::fs::read_to_string(directory.path().join("deep/er/a.txt")).unwrap();
    assert_eq!(disk, "one\ntwo\n");
}

#[tokio::test]
async fn lines_count_from_one_and_keep_their_endings() {
    let files = view(memory());
    files.write_text(path("a"), "one\r\ntwo\nthree".into()).await.unwrap();
    for (line, limit, expected) in [
        (None, None, "one\r\ntwo\nthree"),
        (Some(1), None, "one\r\ntwo\nthree"),
        (Some(0), Some(1), "one\r\n"),
        (Some(2), None, "two\nthree"),
        (Some(2), Some(1), "two\n"),
        (Some(3), Some(5), "three"),
        (Some(4), None, ""),
        (Some(u32::MAX), Some(u32::MAX), ""),
        (None, Some(2), "one\r\ntwo\n"),
        (None, Some(0), ""),
    ] {
        let text = files.read_text(path("a"), line, limit).await.unwrap();
        assert_eq!(text, expected, "{line:?} {limit:?}");
    }
}

#[tokio::test]
async fn an_absolute_path_of_the_directory_is_inside_and_others_are_not() {
    let (directory, files) = on_disk();
    let inside = directory.path().join("a.txt");
    files.write_text(inside.clone(), "x".into()).await.unwrap();
    assert_eq!(files.read_text(inside, None, None).await.unwrap(), "x");
    std::os::unix::fs::symlink("/etc", directory.path().join("link")).unwrap();
    for outside in ["/etc/passwd", "../x", "link/passwd"] {
        let error = files.read_text(path(outside), None, None).await.unwrap_err();
        assert!(matches!(error, FsError::NotPermitted(_)), "{outside}: {error}");
        let error = files.write_text(path(outside), "x".into()).await.unwrap_err();
        assert!(matches!(error, FsError::NotPermitted(_)), "{outside}: {error}");
    }
}

#[tokio::test]
async fn an_odd_name_is_the_name_it_is() {
    use std::os::unix::ffi::OsStrExt;
    let (directory, files) = on_disk();
    for name in [&b"a\xffb"[..], b"a\nb", br"a\x0ab"] {
        let name = std::ffi::OsStr::from_bytes(name);
        std::fs::write(directory.path().join(name), "odd").unwrap();
        assert_eq!(files.read_text(name.into(), None, None).await.unwrap(), "odd", "{name:?}");
    }
}

#[tokio::test]
async fn the_five_errors_say_what_happened() {
    let files = view(memory());
    let error = files.read_text(path("none"), None, None).await.unwrap_err();
    assert!(matches!(&error, FsError::NotFound(at) if at == &path("none")), "{error}");

    let limits = Limits { text_bytes: 10, ..Limits::standard() };
    let setup = Setup { limits, ..Setup::standard(memory()) };
    let small = TextFiles::new(setup.workspace().unwrap());
    small.write_text(path("large"), "x".repeat(11)).await.unwrap();
    let error = small.read_text(path("large"), None, None).await.unwrap_err();
    assert!(matches!(error, FsError::TooLarge { bytes: 11, limit: 10 }), "{error}");

    let policy = Policy { access: Access::ReadOnly, ..Policy::open() };
    let sealed = view(Backend::memory(policy).unwrap());
    let error = sealed.write_text(path("a"), String::new()).await.unwrap_err();
    assert!(matches!(error, FsError::NotPermitted(_)), "{error}");

    let error = FsError::of(Error::of(Code::DiskFull), &path("a"));
    let source = error.source().unwrap().downcast_ref::<Error>().unwrap();
    assert_eq!(source.code(), Code::DiskFull);

    let error = FsError::of(Error::of(Code::Conflict), &path("a"));
    assert!(matches!(error, FsError::Conflict(_)), "{error}");
}

#[tokio::test]
async fn binary_content_is_no_text_and_can_be_read_as_bytes() {
    let (directory, files) = on_disk();
    std::fs::write(directory.path().join("a.bin"), b"\x89PNG\0\xff").unwrap();
    let error = files.read_text(path("a.bin"), None, None).await.unwrap_err();
    assert!(matches!(error, FsError::NotPermitted(_)), "{error}");
    assert_eq!(files.read_bytes(path("a.bin")).await.unwrap(), b"\x89PNG\0\xff");
}

#[tokio::test]
async fn a_fingerprint_is_that_of_the_text() {
    let files = view(memory());
    files.write_text(path("a"), "text\n".into()).await.unwrap();
    let print = files.fingerprint(path("a")).await.unwrap();
    assert_eq!(print, Fingerprint::of("text\n"));
    files.write_text(path("a"), "Text\n".into()).await.unwrap();
    assert_ne!(files.fingerprint(path("a")).await.unwrap(), print);
}

#[tokio::test]
async fn a_text_that_is_not_what_was_seen_is_not_replaced() {
    let files = view(memory());
    files.write_text(path("a"), "one\n".into()).await.unwrap();
    let seen = Fingerprint::of("one\n");
    files.replace_text(path("a"), seen, "two\n".into()).await.unwrap();
    let error = files.replace_text(path("a"), seen, "three\n".into()).await.unwrap_err();
    assert!(matches!(error, FsError::Conflict(_)), "{error}");
    assert_eq!(files.read_text(path("a"), None, None).await.unwrap(), "two\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_that_replace_what_they_saw_one_wins() {
    let (_directory, files) = on_disk();
    for round in 0..20 {
        let before = format!("{round}\n");
        files.write_text(path("a"), before.clone()).await.unwrap();
        let seen = Fingerprint::of(&before);
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let files = Arc::clone(&files);
                let content = format!("{round} by {writer}\n");
                tokio::spawn(async move { files.replace_text(path("a"), seen, content).await })
            })
            .collect();
        let mut won = 0;
        for writer in writers {
            match writer.await.unwrap() {
                Ok(()) => won += 1,
                Err(FsError::Conflict(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(won, 1);
    }
}

#[tokio::test]
async fn line_endings_and_marks_of_a_replaced_file_are_kept() {
    let (directory, files) = on_disk();
    let on_disk = directory.path().join("a.txt");
    std::fs::write(&on_disk, "\u{feff}one\r\ntwo\r\n").unwrap();
    let text = files.read_text(path("a.txt"), None, None).await.unwrap();
    assert_eq!(text, "one\r\ntwo\r\n");
    files.write_text(path("a.txt"), "one\nthree\n".into()).await.unwrap();
    assert_eq!(std::fs::read(&on_disk).unwrap(), "\u{feff}one\r\nthree\r\n".as_bytes());
}

const SECRET: &str = "a = 1\npassword = \"hunter2\"\nb = 2\n";
const REDACTED: &str = "a = 1\npassword = \"[REDACTED: DATABASE_PASSWORD]\"\nb = 2\n";

#[tokio::test]
async fn a_secret_is_not_shown_and_stays_where_its_placeholder_is_written_back() {
    let (directory, files) = on_disk();
    std::fs::write(directory.path().join("app.toml"), SECRET).unwrap();
    assert_eq!(files.read_text(path("app.toml"), None, None).await.unwrap(), REDACTED);
    assert_eq!(files.read_bytes(path("app.toml")).await.unwrap(), REDACTED.as_bytes());
    let line = files.read_text(path("app.toml"), Some(2), Some(1)).await.unwrap();
    assert_eq!(line, "password = \"[REDACTED: DATABASE_PASSWORD]\"\n");
    let seen = files.fingerprint(path("app.toml")).await.unwrap();
    assert_eq!(seen, Fingerprint::of(REDACTED));

    let on_disk = || std::fs::read_to_string(directory.path().join("app.toml")).unwrap();
    files.write_text(path("app.toml"), REDACTED.into()).await.unwrap();
    assert_eq!(on_disk(), SECRET);
    let changed = REDACTED.replace("b = 2", "b = 3");
    files.replace_text(path("app.toml"), seen, changed.clone()).await.unwrap();
    assert_eq!(on_disk(), SECRET.replace("b = 2", "b = 3"));

    // Which of two would be meant, or one that was never shown, nobody knows.
    let invented = changed.replace("DATABASE_PASSWORD", "JWT");
    for wrong in [changed.repeat(2), invented] {
        let error = files.write_text(path("app.toml"), wrong).await.unwrap_err();
        assert!(matches!(error, FsError::NotPermitted(_)), "{error}");
        assert_eq!(on_disk(), SECRET.replace("b = 2", "b = 3"));
    }
}

#[tokio::test]
async fn who_turned_redaction_off_reads_and_edits_everything() {
    let redaction = Config { enabled: false, ..Config::standard() };
    let setup = Setup { redaction, ..Setup::standard(memory()) };
    let files = TextFiles::new(setup.workspace().unwrap());
    files.write_text(path("app.toml"), SECRET.into()).await.unwrap();
    assert_eq!(files.read_text(path("app.toml"), None, None).await.unwrap(), SECRET);
}

/// A place of the author's own that has the two verbs and nothing else.
struct Echo;

impl FsBackend for Echo {
    fn read_text(
        &self,
        path: PathBuf,
        _: Option<u32>,
        _: Option<u32>,
    ) -> garth_embed::BoxFuture<'_, Result<String, FsError>> {
        Box::pin(async move { Ok(path.display().to_string()) })
    }

    fn write_text(&self, _: PathBuf, _: String) -> garth_embed::BoxFuture<'_, Result<(), FsError>> {
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn two_verbs_are_enough_for_a_place_of_ones_own() {
    assert_eq!(Echo.fingerprint(path("a")).await.unwrap(), Fingerprint::of("a"));
    assert!(matches!(Echo.read_bytes(path("a")).await, Err(FsError::NotPermitted(_))));
    Echo.replace_text(path("a"), Fingerprint::of("a"), "b".into()).await.unwrap();
    let error = Echo.replace_text(path("a"), Fingerprint::of("b"), "c".into()).await;
    assert!(matches!(error, Err(FsError::Conflict(_))));
}
