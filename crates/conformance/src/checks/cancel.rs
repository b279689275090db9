//! Every call dropped at every point where it can be: what is left is whole.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use bytes::Bytes;
use garth_contract::{
    Code, Depth, Flow, Found, Hidden, Ignored, Kind, Links, Parents, Query, Reach, Sink, Span,
    WatchSpec,
};
use tokio::sync::Notify;

use crate::{
    Subject, Verdict,
    arrange::{ABSENT, ANY, KEEP, at, everything, lines, next, unchanged},
    check::{checks, open},
    drops::{Drops, cut, everywhere},
    stop::{failed, holds, same},
};

checks! { "cancel"
    a_dropped_write_leaves_old_or_new_content [Write] under open covers "write.cancel";
    a_dropped_creation_leaves_nothing_or_the_file [Write] under open covers "write.cancel";
    a_dropped_guarded_write_leaves_old_or_new_content [Write] under open covers "write.cancel";
    a_dropped_write_holds_nobody_up [Write] under open covers "write.cancel";
    a_dropped_write_never_lands_after_a_later_one [Write] under open covers "write.cancel";
    a_dropped_move_leaves_it_whole_somewhere [Write Rename] under open covers "rename.cancel";
    a_dropped_removal_leaves_a_part [Write] under open covers "remove.cancel";
    a_dropped_make_dir_leaves_some_parents [Write EmptyDirs] under open covers "make_dir.cancel";
    dropped_reads_leave_nothing [Write] under open covers "stat.cancel" "list.cancel" "read.cancel" "gather.cancel";
    a_dropped_search_calls_its_sink_no_more [Write Find] under open covers "find.cancel";
    a_dropped_watch_leaves_nothing [Write Watch] under open covers "watch.cancel";
}

const OLD: usize = 60_000;
const NEW: usize = 900_000;

/// Claims that a directory holds `f` alone, with old or new content, whole.
async fn old_or_new(ws: &Subject, dir: &str) -> Verdict {
    same("names", ws.names(dir).await?, ["f"])?;
    let bytes = ws.read(format!("{dir}/f")).await?;
    let old = bytes.len() == OLD && bytes.iter().all(|byte| *byte == b'o');
    let new = bytes.len() == NEW && bytes.iter().all(|byte| *byte == b'n');
    holds("the content is the old or the new one", old || new)
}

async fn a_dropped_write_leaves_old_or_new_content(ws: Subject) -> Verdict {
    let ws = &ws;
    everywhere(async |number, drops| {
        let dir = format!("d{number}");
        let path = at(format!("{dir}/f"))?;
        ws.write(path.as_bytes(), vec![b'o'; OLD]).await?;
        let ended = cut(drops, ws.fs.write(&path, vec![b'n'; NEW].into(), ANY)).await;
        old_or_new(ws, &dir).await?;
        Ok(ended.transpose()?.is_some())
    })
    .await
}

async fn a_dropped_guarded_write_leaves_old_or_new_content(ws: Subject) -> Verdict {
    let ws = &ws;
    everywhere(async |number, drops| {
        let dir = format!("d{number}");
        let path = at(format!("{dir}/f"))?;
        let version = ws.write(path.as_bytes(), vec![b'o'; OLD]).await?.version;
        let put = unchanged(version);
        let ended = cut(drops, ws.fs.write(&path, vec![b'n'; NEW].into(), put)).await;
        old_or_new(ws, &dir).await?;
        Ok(ended.transpose()?.is_some())
    })
    .await
}

async fn a_dropped_creation_leaves_nothing_or_the_file(ws: Subject) -> Verdict {
    let ws = &ws;
    everywhere(async |number, drops| {
        let dir = format!("d{number}");
        let path = at(format!("{dir}/f"))?;
        ws.fs.make_dir(&at(&dir)?, Parents::Create).await?;
        let ended = cut(drops, ws.fs.write(&path, vec![b'n'; NEW].into(), ABSENT)).await;
        match ws.read(path.as_bytes()).await {
            Ok(_) => old_or_new(ws, &dir).await?,
            Err(error) => same("code", error.code(), Code::FileNotFound)?,
        }
        holds("nothing else is visible", ws.names(&dir).await?.iter().all(|name| name == "f"))?;
        Ok(ended.transpose()?.is_some())
    })
    .await
}

async fn a_dropped_write_holds_nobody_up(ws: Subject) -> Verdict {
    let ws = &ws;
    everywhere(async |_, drops| {
        let path = at("f")?;
        let ended = cut(drops, ws.fs.write(&path, vec![b'n'; OLD].into(), ANY)).await;
        ws.write("f", "later").await?;
        ws.remove("f", Depth::One).await?;
        Ok(ended.transpose()?.is_some())
    })
    .await
}

/// Bytes that tell when the last handle on them is gone.
struct Told(Vec<u8>, Arc<AtomicBool>);

impl AsRef<[u8]> for Told {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        self.1.store(true, Ordering::SeqCst);
    }
}

async fn a_dropped_write_never_lands_after_a_later_one(ws: Subject) -> Verdict {
    let ws = &ws;
    everywhere(async |number, drops| {
        let path = at(format!("f{number}"))?;
        ws.write(path.as_bytes(), "old").await?;
        let gone = Arc::new(AtomicBool::new(false));
        let content = Bytes::from_owner(Told(vec![b'n'; NEW], Arc::clone(&gone)));
        let ended = cut(drops, ws.fs.write(&path, content, ANY)).await;
        ws.write(path.as_bytes(), "later").await?;
        // The dropped write is over when nobody holds its bytes any more.
        while !gone.load(Ordering::SeqCst) {
            same("bytes", ws.read(path.as_bytes()).await?, "later")?;
            tokio::task::yield_now().await;
        }
        same("bytes", ws.read(path.as_bytes()).await?, "later")?;
        Ok(ended.transpose()?.is_some())
    })
    .await
}

async fn a_dropped_move_leaves_it_whole_somewhere(ws: Subject) -> Verdict {
    let ws = &ws;
    everywhere(async |number, drops| {
        let base = format!("r{number}");
        for file in 0..10 {
            ws.write(format!("{base}/from/d/{file}"), "x").await?;
        }
        let (from, to) = (at(format!("{base}/from"))?, at(format!("{base}/to"))?);
        let ended = cut(drops, ws.fs.rename(&from, &to, KEEP)).await;
        for name in ws.names(&base).await? {
            holds("it is at one of its two places", name == "from" || name == "to")?;
            // A move that goes on after its drop may take it away meanwhile.
            if let Ok(names) = ws.names(format!("{base}/{name}/d")).await {
                same("how many files are there", names.len(), 10)?;
            }
        }
        let there = ws.fs.stat(&from, Links::Keep).await.is_ok()
            || ws.fs.stat(&to, Links::Keep).await.is_ok();
        holds("it is somewhere", there)?;
        Ok(ended.transpose()?.is_some())
    })
    .await
}

async fn a_dropped_removal_leaves_a_part(ws: Subject) -> Verdict {
    ws.write("keep/f", "x").await?;
    let ws = &ws;
    everywhere(async |number, drops| {
        let base = format!("r{number}");
        // Enough to be dropped in the midst of, and no more: it is made anew each time.
        for file in 0..12 {
            ws.write(format!("{base}/{}/{file}", file % 3), "x").await?;
        }
        let path = at(&base)?;
        let ended = cut(drops, ws.fs.remove(&path, Depth::All)).await;
        same("what is next to it", ws.read("keep/f").await?, "x")?;
        Ok(ended.transpose()?.is_some())
    })
    .await
}

async fn a_dropped_make_dir_leaves_some_parents(ws: Subject) -> Verdict {
    let ws = &ws;
    everywhere(async |number, drops| {
        let path = at(format!("r{number}/a/b/c/d"))?;
        let ended = cut(drops, ws.fs.make_dir(&path, Parents::Create)).await;
        let mut made = format!("r{number}");
        for next in ["a", "b", "c", "d", ""] {
            match ws.fs.stat(&at(&made)?, Links::Keep).await {
                Ok(entry) => same(&made, entry.kind, Kind::Dir)?,
                Err(error) => {
                    same("code", error.code(), Code::FileNotFound)?;
                    break;
                }
            }
            let names = ws.names(&made).await?;
            holds("nothing else is in it", names.iter().all(|name| name == next))?;
            made = format!("{made}/{next}");
        }
        ws.fs.make_dir(&path, Parents::Create).await?;
        Ok(ended.transpose()?.is_some())
    })
    .await
}

async fn dropped_reads_leave_nothing(ws: Subject) -> Verdict {
    ws.write("d/f", vec![b'x'; 100_000]).await?;
    let before = ws.tree().await?;
    let (ws, path, dir) = (&ws, &at("d/f")?, &at("d")?);
    let page = garth_contract::Page { skip: 0, take: 10 };
    everywhere(async |_, drops| {
        Ok(cut(drops, ws.fs.stat(path, Links::Follow)).await.transpose()?.is_some())
    })
    .await?;
    everywhere(async |_, drops| Ok(cut(drops, ws.fs.list(dir, page)).await.transpose()?.is_some()))
        .await?;
    for span in [
        Span::Whole { at_most: 1 << 20 },
        Span::Lines { skip: 0, take: 1, at_most: 1 << 20 },
        Span::LastLines { take: 1, at_most: 1 << 20 },
    ] {
        everywhere(async |_, drops| {
            Ok(cut(drops, ws.fs.read(path, span)).await.transpose()?.is_some())
        })
        .await?;
        everywhere(async |_, drops| {
            let mut buffer = vec![b'b'; 3];
            let ended = cut(drops, ws.fs.gather(path, span, &mut buffer)).await.transpose()?;
            if ended.is_none() {
                same("what is gathered", &buffer[..], b"bbb".as_slice())?;
            }
            Ok(ended.is_some())
        })
        .await?;
    }
    same("tree", ws.tree().await?, before)?;
    match ws.outside.everything() {
        Ok(found) => same("what is there", found.len(), 2),
        Err(_) => Ok(()),
    }
}

/// Counts its calls, and those that come when they no longer should.
struct Counting {
    called: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
    late: Arc<AtomicU64>,
    gone: Arc<Notify>,
}

impl Sink for Counting {
    fn accept(&self, _: Found<'_>) -> Flow {
        self.called.fetch_add(1, Ordering::SeqCst);
        if self.over.load(Ordering::SeqCst) {
            self.late.fetch_add(1, Ordering::SeqCst);
        }
        Flow::Continue
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.gone.notify_one();
    }
}

async fn a_dropped_search_calls_its_sink_no_more(ws: Subject) -> Verdict {
    for number in 0..300 {
        ws.write(format!("d{}/f{number}", number % 25), "needle\n".repeat(10)).await?;
    }
    for query in [everything(), lines("needle")] {
        let (ws, query) = (&ws, &query);
        everywhere(async |_, drops| dropped_search(ws, query, drops).await).await?;
    }
    Ok(())
}

async fn dropped_search(ws: &Subject, query: &Query, drops: Drops) -> Verdict<bool> {
    let (called, late) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (over, gone) = (Arc::new(AtomicBool::new(false)), Arc::new(Notify::new()));
    let sink = Arc::new(Counting {
        called: Arc::clone(&called),
        over: Arc::clone(&over),
        late: Arc::clone(&late),
        gone: Arc::clone(&gone),
    });
    let ended = cut(drops, ws.fs.find(query, sink)).await;
    over.store(true, Ordering::SeqCst);
    // The walk is over when nobody holds the sink any more.
    gone.notified().await;
    // One call may have begun before the drop and looked after it.
    let late = late.load(Ordering::SeqCst);
    holds(&format!("the sink was not called again, {late} times"), late <= 1)?;
    match ended.transpose()? {
        Some(summary) => {
            same("given", summary.given, called.load(Ordering::SeqCst))?;
            Ok(true)
        }
        None => Ok(false),
    }
}

async fn a_dropped_watch_leaves_nothing(ws: Subject) -> Verdict {
    let (hidden, ignored) = (Hidden::Include, Ignored::Include);
    let spec = &WatchSpec { path: at("")?, reach: Reach::Tree, hidden, ignored };
    let ws = &ws;
    everywhere(async |_, drops| Ok(cut(drops, ws.fs.watch(spec)).await.transpose()?.is_some()))
        .await?;
    let mut watch = ws.fs.watch(spec).await?;
    ws.write("f", "x").await?;
    match next(&mut watch).await {
        Some(_) => Ok(()),
        None => Err(failed("a later watch hears nothing")),
    }
}
