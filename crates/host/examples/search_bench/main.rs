//! Searches two trees with us and with the tools people know, side by side.
//!
//! `search_bench [--tool DIR] [--rounds N] [TREE…]` makes a tree of 50,000 files,
//! adds the trees named and `.cache/linux-source` if it is there, checks that all
//! contenders find the same, runs them in turns and prints medians, ratios, and
//! pass or short. A contender is always a program that is started for the query;
//! ours is this one, started with `run`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a measurement prints, and its tables are its own"
)]

mod generate;
mod judge;
mod measure;
mod queries;
mod run;

use std::{
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let done = match arguments.split_first() {
        Some((first, rest)) if first == "run" => run::run(rest),
        Some(_) | None => bench(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("search_bench: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Any failure, as a sentence.
type Outcome<T = ()> = Result<T, String>;

fn bench(arguments: &[String]) -> Outcome {
    let mut rounds = 7;
    let mut trees: Vec<PathBuf> = Vec::new();
    let mut tools = measure::Tools::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--rounds" => {
                let value = rest.next().and_then(|value| value.parse().ok());
                rounds = value.ok_or("--rounds needs a number")?;
            }
            "--tool" => tools.add(rest.next().ok_or("--tool needs a directory")?),
            tree => trees.push(tree.into()),
        }
    }
    if trees.is_empty() {
        trees.push(generate::tree(Path::new(".cache/search-tree"))?);
        let real = Path::new(".cache/linux-source");
        match real.is_dir() {
            true => trees.push(real.to_path_buf()),
            false => println!("skipped: no {}", real.display()),
        }
    }
    let mut short = 0;
    for tree in &trees {
        short += judge::tree(tree, &tools, rounds)?;
    }
    println!("{}", if short == 0 { "all pass".to_string() } else { format!("{short} short") });
    Ok(())
}
