//! Another engine, on a part of the same files, in the same run.

use std::io::Write as _;
use std::process::Command;
use std::time::Instant;

use garth_redact::Redactor;

use crate::{best, corpus, megabytes};

/// As much is given to the other engine, which is slow.
const PART: usize = 2 << 20;

pub(crate) fn measure(redactor: &Redactor) {
    let Some(program) = std::env::var_os("GARTH_BENCH_DETECT_SECRETS") else {
        println!("detect-secrets is left out: GARTH_BENCH_DETECT_SECRETS does not name it");
        return;
    };
    let Ok(folder) = tempfile::tempdir() else { return };
    let mut size = 0;
    let mut texts = Vec::new();
    for (index, text) in corpus::source_code().into_iter().enumerate() {
        let path = folder.path().join(format!("{index}.c"));
        let written =
            std::fs::File::create(path).and_then(|mut file| file.write_all(text.as_bytes()));
        if written.is_err() || size + text.len() > PART {
            break;
        }
        size += text.len();
        texts.push(text);
    }
    let begin = Instant::now();
    let ran = Command::new(program)
        .args(["-c", "1", "scan", "--all-files", "."])
        .current_dir(folder.path())
        .output();
    let theirs = begin.elapsed();
    let ours = best(|| {
        for text in &texts {
            std::hint::black_box(redactor.find(text));
        }
    });
    match ran {
        Ok(output) if output.status.success() => println!(
            "beside detect-secrets on {:.1} MB: {:.2} MB/s, ours {:.0} MB/s",
            megabytes(size),
            megabytes(size) / theirs.as_secs_f64(),
            megabytes(size) / ours.on_cores.as_secs_f64()
        ),
        Ok(output) => println!("detect-secrets failed: {}", output.status),
        Err(error) => println!("detect-secrets did not start: {error}"),
    }
}
