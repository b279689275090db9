//! Runs all contenders in turns on one tree, and says who is faster.

use std::{env, path::Path};

use crate::{
    Outcome,
    measure::{self, Cost, Tools},
    queries::{self, Answer, Group, Named},
};

/// One contender of one query.
struct Contender {
    label: &'static str,
    answer: Answer,
    command: Vec<String>,
    costs: Vec<Cost>,
}

/// Runs every query on a tree; returns how many goals were missed.
pub(crate) fn tree(tree: &Path, tools: &Tools, rounds: usize) -> Outcome<u32> {
    println!("\n{} ({rounds} rounds, three times as many by name, medians in ms)", tree.display());
    println!(
        "{:16} {:22} {:>8} {:>8} {:>7} {:>7}  hits",
        "query", "contender", "wall", "cpu", "wall×", "cpu×"
    );
    let mut ratios = Vec::new();
    let mut short = 0;
    for named in queries::ALL {
        let mut contenders = contenders(named, tools)?;
        let hits = check(tree, &contenders, named)?;
        let rounds = match named.group {
            Group::Grep => rounds,
            // These are short, and a hiccup of the machine weighs more.
            Group::Names => rounds * 3,
        };
        for _ in 0..rounds {
            for contender in &mut contenders {
                contender.costs.push(measure::cost(tree, &contender.command)?);
            }
        }
        let measured = report(named, &contenders, hits);
        short += match named.group {
            Group::Grep => 0,
            Group::Names => {
                let what = |ratio: &Ratio| format!("{}, against {}", ratio.query, ratio.label);
                measured.iter().map(|ratio| verdict(&what(ratio), ratio.wall, 1.0)).sum()
            }
        };
        if named.group == Group::Grep {
            ratios.extend(measured);
        }
    }
    Ok(short + judge_grep(&ratios))
}

/// Ours first, then the tools that are installed.
fn contenders(named: &Named, tools: &Tools) -> Outcome<Vec<Contender>> {
    let own = env::current_exe().map_err(|error| error.to_string())?;
    let own = own.to_string_lossy().into_owned();
    let command = vec![own, "run".to_string(), named.name.to_string()];
    let own = Contender { label: "garth", answer: Answer::Same, command, costs: Vec::new() };
    let mut contenders = vec![own];
    for other in named.others {
        let Some((tool, arguments)) = other.command.split_first() else { continue };
        let Some(program) = tools.find(tool) else {
            println!("{:16} skipped: no {tool}", named.name);
            continue;
        };
        let mut command = vec![program.to_string_lossy().into_owned()];
        command.extend(arguments.iter().map(ToString::to_string));
        let (label, answer) = (other.label, other.answer);
        contenders.push(Contender { label, answer, command, costs: Vec::new() });
    }
    Ok(contenders)
}

/// Makes sure that all who are asked the same answer the same.
fn check(tree: &Path, contenders: &[Contender], named: &Named) -> Outcome<usize> {
    let Some((first, others)) = contenders.split_first() else { return Ok(0) };
    let expected = measure::lines(tree, &first.command)?;
    for other in others.iter().filter(|other| other.answer == Answer::Same) {
        let found = measure::lines(tree, &other.command)?;
        if found != expected {
            let odd = expected.iter().find(|line| found.binary_search(line).is_err());
            let odd =
                odd.or_else(|| found.iter().find(|line| expected.binary_search(line).is_err()));
            let odd = odd.map(|line| String::from_utf8_lossy(line).into_owned());
            return Err(format!(
                "{}: {} lines, but {} finds {}; {odd:?}",
                named.name,
                expected.len(),
                other.label,
                found.len()
            ));
        }
    }
    Ok(expected.len())
}

/// How we stand to one other contender.
struct Ratio {
    query: &'static str,
    label: &'static str,
    wall: f64,
    processor: f64,
}

fn report(named: &Named, contenders: &[Contender], hits: usize) -> Vec<Ratio> {
    let mut ratios = Vec::new();
    let mut ours: Option<(f64, f64)> = None;
    for contender in contenders {
        let wall = median(contender.costs.iter().map(|cost| cost.wall));
        let processor = median(contender.costs.iter().map(|cost| cost.processor));
        let row = format!(
            "{:16} {:22} {:8.0} {:8.0}",
            named.name,
            contender.label,
            wall * 1e3,
            processor * 1e3
        );
        match ours {
            None => {
                println!("{row} {:>7} {:>7}  {hits}", "", "");
                ours = Some((wall, processor));
            }
            Some((our_wall, our_processor)) => {
                let ratio = Ratio {
                    query: named.name,
                    label: contender.label,
                    wall: our_wall / wall,
                    processor: our_processor / processor,
                };
                println!("{row} {:7.2} {:7.2}", ratio.wall, ratio.processor);
                ratios.push(ratio);
            }
        }
    }
    ratios
}

fn judge_grep(ratios: &[Ratio]) -> u32 {
    if ratios.is_empty() {
        return 0;
    }
    let mean = |value: fn(&Ratio) -> f64| {
        let logs: f64 = ratios.iter().map(|ratio| value(ratio).ln()).sum();
        let count = u32::try_from(ratios.len()).unwrap_or(u32::MAX);
        (logs / f64::from(count)).exp()
    };
    let mut short = verdict("grep, wall, geometric mean", mean(|ratio| ratio.wall), 1.0);
    short += verdict("grep, cpu, geometric mean", mean(|ratio| ratio.processor), 1.0);
    for ratio in ratios {
        short += verdict(ratio.query, ratio.wall.max(ratio.processor), 1.1);
    }
    short
}

/// Prints a number beside its goal; 1 when it falls short.
fn verdict(what: &str, ratio: f64, goal: f64) -> u32 {
    let passed = ratio <= goal;
    let word = if passed { "pass" } else { "short" };
    println!("    {what:28} {ratio:.2} ≤ {goal:.1}: {word}");
    u32::from(!passed)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
