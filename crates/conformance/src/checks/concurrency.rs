//! Several callers at once: no update is lost and nobody sees half of one.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use bytes::Bytes;
use garth_contract::{Code, Depth, DynFilesystem, Guard, Put, Span, Version};
use tokio::task::{JoinHandle, JoinSet, yield_now};

use crate::{
    Subject, Verdict,
    arrange::{ABSENT, ANY, KEEP, REPLACE, at, unchanged},
    check::{checks, open},
    stop::{failed, holds, refused, same},
};

checks! { "concurrency"
    of_guarded_writers_exactly_one_wins [Write] under open covers "write.after.guarded" "write.errors.conflict";
    of_creators_exactly_one_wins [Write] under open covers "write.after.guarded" "write.errors.exists";
    no_counted_update_is_lost [Write] under open covers "write.after.guarded";
    no_update_is_lost_between_two_handles [Write] under open covers "write.after.guarded";
    a_reader_sees_one_file_whole [Write] under open covers "read.after.one_file";
    a_reader_of_a_span_sees_one_file [Write] under open covers "read.after.one_file";
    a_lister_sees_no_temporary_file [Write] under open covers "list.temporary";
    a_searcher_sees_no_temporary_file [Write Find] under open covers "find.denied" "list.temporary";
    of_movers_exactly_one_wins [Write Rename] under open covers "rename.after" "rename.errors.source_not_found";
    movers_to_one_place_never_clobber [Write Rename] under open covers "clobber.refuse" "rename.errors.destination_exists";
    of_removers_exactly_one_wins [Write] under open covers "remove.after" "remove.errors.not_found";
    a_removal_is_not_led_out_by_a_swap [Write Symlinks] under open covers "remove.after.nothing_else" "common.nothing_outside";
    no_call_is_led_out_by_a_swap [Write Symlinks] under open covers "common.outside" "common.nothing_outside";
    a_replaced_file_is_never_missing [Write Rename] under open covers "write.after.bytes" "clobber.replace";
}

const CALLERS: usize = 8;

async fn of_guarded_writers_exactly_one_wins(ws: Subject) -> Verdict {
    for round in 0..20 {
        let version = ws.write("f", format!("round {round}")).await?.version;
        race(&ws, unchanged(version), Code::Conflict).await?;
    }
    Ok(())
}

async fn of_creators_exactly_one_wins(ws: Subject) -> Verdict {
    for _ in 0..20 {
        race(&ws, ABSENT, Code::FileExists).await?;
        ws.remove("f", Depth::One).await?;
    }
    Ok(())
}

/// Several write `f` at once; one wins, its bytes stay, the others are refused so.
async fn race(ws: &Subject, put: Put, code: Code) -> Verdict {
    let mut writers = JoinSet::new();
    for number in 0..CALLERS {
        let (fs, path) = (ws.fs.clone(), at("f")?);
        let (content, put) = (Bytes::from(format!("writer {number}")), put.clone());
        writers.spawn(async move { (content.clone(), fs.write(&path, content, put).await) });
    }
    let mut winners = Vec::new();
    for (content, answer) in writers.join_all().await {
        match answer {
            Ok(_) => winners.push(content),
            refusal @ Err(_) => refused(refusal, code)?,
        }
    }
    same("how many won", winners.len(), 1)?;
    holds("the winner's bytes are there", winners.contains(&ws.read("f").await?))
}

/// Adds one to the number in `f`, again and again until it was not disturbed.
async fn add_one(fs: &dyn DynFilesystem) -> Verdict {
    let path = at("f")?;
    loop {
        let content = fs.read(&path, Span::Whole { at_most: 100 }).await?;
        let number: u64 = std::str::from_utf8(&content.bytes)
            .ok()
            .and_then(|text| text.trim().parse().ok())
            .ok_or_else(|| failed(format!("not a number: {:?}", content.bytes)))?;
        let version = content.version().ok_or_else(|| failed("a whole read has no version"))?;
        let put = Put { guard: Guard::Unchanged(version), ..ANY };
        match fs.write(&path, Bytes::from(format!("{}\n", number + 1)), put).await {
            Ok(_) => return Ok(()),
            Err(error) if error.code() == Code::Conflict => {}
            Err(error) => return Err(error.into()),
        }
    }
}

async fn no_counted_update_is_lost(ws: Subject) -> Verdict {
    ws.write("f", "0").await?;
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS {
        let fs = ws.fs.clone();
        callers.spawn(async move {
            for _ in 0..25 {
                add_one(&*fs).await?;
            }
            Ok::<_, crate::Stop>(())
        });
    }
    for answer in callers.join_all().await {
        answer?;
    }
    same("the count", ws.read("f").await?, format!("{}\n", CALLERS * 25))
}

async fn no_update_is_lost_between_two_handles(ws: Subject) -> Verdict {
    ws.write("f", "0").await?;
    let other = ws.unruled()?;
    let mut callers = JoinSet::new();
    for number in 0..CALLERS {
        let fs = if number % 2 == 0 { ws.fs.clone() } else { other.fs.clone() };
        callers.spawn(async move {
            for _ in 0..25 {
                add_one(&*fs).await?;
            }
            Ok::<_, crate::Stop>(())
        });
    }
    for answer in callers.join_all().await {
        answer?;
    }
    same("the count", ws.read("f").await?, format!("{}\n", CALLERS * 25))
}

/// A task that writes while its owner looks. A writer that is fast goes on
/// until there were looks enough, and an owner that is fast looks until there
/// were writes enough: so the two meet on any machine.
struct Writer {
    // It ends with this set, also when a look finds something.
    task: JoinSet<Verdict>,
    looks: Arc<AtomicUsize>,
}

impl Writer {
    const WRITES: usize = 100;
    const LOOKS: usize = 50;

    fn begin<Written>(write: impl Fn(usize) -> Written + Send + 'static) -> Self
    where
        Written: Future<Output = Verdict> + Send,
    {
        let looks = Arc::new(AtomicUsize::new(0));
        let (mut task, looked) = (JoinSet::new(), looks.clone());
        task.spawn(async move {
            let mut round = 0;
            while round < Self::WRITES || looked.load(Ordering::Relaxed) < Self::LOOKS {
                write(round).await?;
                round += 1;
                yield_now().await;
            }
            Ok(())
        });
        Self { task, looks }
    }

    /// Replaces `f` by contents of one letter and different lengths.
    fn replacing(ws: &Subject) -> Verdict<Self> {
        let (fs, path) = (ws.fs.clone(), at("f")?);
        Ok(Self::begin(move |round| {
            let (fs, path) = (fs.clone(), path.clone());
            let letter = if round.is_multiple_of(2) { b'a' } else { b'b' };
            let content = vec![letter; 200_000 + 100_000 * (round % 3)];
            async move {
                fs.write(&path, content.into(), ANY).await?;
                Ok(())
            }
        }))
    }

    /// Whether there is still something to look at; asked before each look.
    async fn goes_on(&mut self) -> Verdict<bool> {
        yield_now().await;
        self.looks.fetch_add(1, Ordering::Relaxed);
        match self.task.try_join_next() {
            None => Ok(true),
            Some(Ok(verdict)) => verdict.map(|()| false),
            Some(Err(error)) => Err(failed(error.to_string())),
        }
    }
}

async fn a_reader_sees_one_file_whole(ws: Subject) -> Verdict {
    ws.write("f", "start").await?;
    let mut writer = Writer::replacing(&ws)?;
    while writer.goes_on().await? {
        let content = ws.span("f", Span::Whole { at_most: 1 << 30 }).await?;
        let first = content.bytes.first().copied();
        let whole =
            content.bytes == "start" || content.bytes.iter().all(|byte| Some(*byte) == first);
        holds("the bytes are of one content", whole)?;
        same("size", content.size, content.bytes.len() as u64)?;
        same("version", content.version(), Some(Version::of(&content.bytes)))?;
    }
    Ok(())
}

async fn a_reader_of_a_span_sees_one_file(ws: Subject) -> Verdict {
    ws.write("f", vec![b'b'; 300_000]).await?;
    let mut writer = Writer::replacing(&ws)?;
    while writer.goes_on().await? {
        for span in [
            Span::Bytes { offset: 1_000, length: 150_000 },
            Span::Lines { skip: 0, take: 5, at_most: 150_000 },
            Span::LastLines { take: 5, at_most: 150_000 },
        ] {
            let content = ws.span("f", span).await?;
            let first = content.bytes.first().copied();
            same("how many bytes", content.bytes.len(), 150_000)?;
            holds(
                "the bytes are of one content",
                content.bytes.iter().all(|byte| Some(*byte) == first),
            )?;
        }
    }
    Ok(())
}

async fn a_lister_sees_no_temporary_file(ws: Subject) -> Verdict {
    ws.write("f", "start").await?;
    let mut writer = Writer::replacing(&ws)?;
    while writer.goes_on().await? {
        same("names", ws.names("").await?, ["f"])?;
    }
    Ok(())
}

async fn a_searcher_sees_no_temporary_file(ws: Subject) -> Verdict {
    ws.write("f", "start").await?;
    let mut writer = Writer::replacing(&ws)?;
    while writer.goes_on().await? {
        same("found", ws.find(&crate::arrange::everything()).await?.0, ["f"])?;
    }
    Ok(())
}

async fn of_movers_exactly_one_wins(ws: Subject) -> Verdict {
    for _ in 0..20 {
        ws.write("from", "x").await?;
        let mut movers = JoinSet::new();
        for number in 0..CALLERS {
            let (fs, from, to) = (ws.fs.clone(), at("from")?, at(format!("to{number}"))?);
            movers.spawn(async move { fs.rename(&from, &to, KEEP).await });
        }
        let mut moved = 0;
        for answer in movers.join_all().await {
            match answer {
                Ok(_) => moved += 1,
                refusal @ Err(_) => refused(refusal, Code::SourceNotFound)?,
            }
        }
        same("how many moved it", moved, 1)?;
        let names = ws.names("").await?;
        same("how many are there", names.len(), 1)?;
        for name in names {
            same("bytes", ws.read(&name).await?, "x")?;
            ws.remove(&name, Depth::One).await?;
        }
    }
    Ok(())
}

async fn movers_to_one_place_never_clobber(ws: Subject) -> Verdict {
    for _ in 0..20 {
        let mut movers = JoinSet::new();
        for number in 0..CALLERS {
            let (from, to) = (at(format!("from{number}"))?, at("to")?);
            ws.write(from.as_bytes(), format!("{number}")).await?;
            let fs = ws.fs.clone();
            movers.spawn(async move { fs.rename(&from, &to, KEEP).await });
        }
        let mut moved = 0;
        for answer in movers.join_all().await {
            match answer {
                Ok(_) => moved += 1,
                refusal @ Err(_) => refused(refusal, Code::DestinationExists)?,
            }
        }
        same("how many moved there", moved, 1)?;
        same("how many are left", ws.names("").await?.len(), CALLERS)?;
        ws.remove("to", Depth::One).await?;
    }
    Ok(())
}

async fn of_removers_exactly_one_wins(ws: Subject) -> Verdict {
    for _ in 0..20 {
        ws.write("f", "x").await?;
        let mut removers = JoinSet::new();
        for _ in 0..CALLERS {
            let (fs, path) = (ws.fs.clone(), at("f")?);
            removers.spawn(async move { fs.remove(&path, Depth::One).await });
        }
        let mut removed = 0;
        for answer in removers.join_all().await {
            match answer {
                Ok(_) => removed += 1,
                refusal @ Err(_) => refused(refusal, Code::FileNotFound)?,
            }
        }
        same("how many removed it", removed, 1)?;
    }
    Ok(())
}

async fn a_replaced_file_is_never_missing(ws: Subject) -> Verdict {
    ws.write("f", "start").await?;
    let (fs, from, to) = (ws.fs.clone(), at("next")?, at("f")?);
    let mut writer = Writer::begin(move |round| {
        let (fs, from, to) = (fs.clone(), from.clone(), to.clone());
        async move {
            fs.write(&from, Bytes::from(format!("{round}")), ANY).await?;
            fs.rename(&from, &to, REPLACE).await?;
            Ok(())
        }
    });
    while writer.goes_on().await? {
        holds("it has a content", !ws.read("f").await?.is_empty())?;
    }
    Ok(())
}

/// Exchanges two entries again and again until it is told to stop.
fn swapping(
    ws: &Arc<Subject>,
    one: &str,
    other: &str,
) -> Verdict<(Arc<AtomicBool>, JoinHandle<()>)> {
    let over = Arc::new(AtomicBool::new(false));
    let (ws, told) = (Arc::clone(ws), Arc::clone(&over));
    let (one, other) = (at(one)?, at(other)?);
    ws.outside.exchange(&one, &other)?;
    let swapper = tokio::task::spawn_blocking(move || {
        while !told.load(Ordering::SeqCst) {
            // One of the two may be gone for a while.
            let _ = ws.outside.exchange(&one, &other);
        }
    });
    Ok((over, swapper))
}

async fn a_removal_is_not_led_out_by_a_swap(ws: Subject) -> Verdict {
    let before = ws.outside.beyond_now()?;
    ws.write("x/sub/f", "inside").await?;
    ws.link_out("y", "dir")?;
    let ws = Arc::new(ws);
    let (over, swapper) = swapping(&ws, "x/sub", "y")?;
    for _ in 0..300 {
        let _ = ws.remove("x", Depth::All).await;
        // Whatever is left at the two places, a directory and a link come back.
        let _ = ws.remove("y", Depth::All).await;
        let _ = ws.link_out("y", "dir");
        let _ = ws.write("x/sub/f", "inside").await;
        let _ = ws.remove("y/inner", Depth::One).await;
        let _ = ws.remove("x/sub/inner", Depth::One).await;
    }
    over.store(true, Ordering::SeqCst);
    swapper.await.map_err(|error| failed(error.to_string()))?;
    same("what is beyond", ws.outside.beyond_now()?, before)
}

async fn no_call_is_led_out_by_a_swap(ws: Subject) -> Verdict {
    let before = ws.outside.beyond_now()?;
    ws.write("x/inner", "inside").await?;
    ws.write("mine", "inside").await?;
    ws.link_out("y", "dir")?;
    let ws = Arc::new(ws);
    let (over, swapper) = swapping(&ws, "x", "y")?;
    for _ in 0..300 {
        for path in ["x/inner", "y/inner"] {
            if let Ok(bytes) = ws.read(path).await {
                holds("what is read is inside", bytes != crate::SECRET)?;
            }
            if let Ok(entry) = ws.stat(path).await {
                holds("what is seen is inside", entry.size != crate::SECRET.len() as u64)?;
            }
            let _ = ws.write(path, "inside").await;
        }
        let _ = ws.write("x/new", "inside").await;
        let _ = ws.make_dir("x/dir").await;
        let _ = ws.list("x").await;
        let _ = ws.rename("x/inner", "stolen", REPLACE).await;
        let _ = ws.rename("mine", "x/mine", REPLACE).await;
        let _ = ws.rename("x/mine", "mine", REPLACE).await;
        let _ = ws.write("mine", "inside").await;
    }
    over.store(true, Ordering::SeqCst);
    swapper.await.map_err(|error| failed(error.to_string()))?;
    if let Ok(bytes) = ws.read("stolen").await {
        holds("what was moved was inside", bytes != crate::SECRET)?;
    }
    same("what is beyond", ws.outside.beyond_now()?, before)
}
