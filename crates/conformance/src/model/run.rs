//! A long random run of one backend beside the model.

use std::collections::VecDeque;

use garth_contract::Error;

use super::{
    Node, Refusal, Tree,
    random::Random,
    step::{Answer, Step},
};
use crate::{Backend, Subject, arrange::Seen, check, suite};

/// How long runs are and where they start.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    /// The seed of the first run; each further run takes the next one.
    pub seed: u64,
    /// How many runs, each in a fresh workspace.
    pub runs: u64,
    /// How many calls a run has.
    pub steps: u64,
    /// After how many calls the whole trees are compared.
    pub compare_every: u64,
}

/// How many calls a failure shows.
const REMEMBERED: usize = 20;

impl Length {
    /// Short by default; `GARTH_MODEL_SEED` repeats one run, `GARTH_MODEL_STEPS` makes
    /// runs longer, `GARTH_MODEL_COMPARE=1` compares the trees after every call.
    #[must_use]
    pub fn from_environment() -> Self {
        let number = |name: &str| std::env::var(name).ok()?.parse().ok();
        let seed = number("GARTH_MODEL_SEED");
        let runs = if seed.is_some() { 1 } else { 5 };
        let steps = number("GARTH_MODEL_STEPS").unwrap_or(600);
        let compare_every = number("GARTH_MODEL_COMPARE").unwrap_or(10).max(1);
        Self { seed: seed.unwrap_or(1), runs, steps, compare_every }
    }
}

/// Runs a backend beside the model; says how many calls agreed.
///
/// # Errors
/// A text with the seed, the last calls, and where the two part.
pub fn run(backend: &impl Backend, length: Length) -> Result<String, String> {
    let runtime = suite::runtime().map_err(|error| error.to_string())?;
    let mut calls = 0;
    for seed in length.seed..length.seed + length.runs {
        calls += runtime.block_on(one(backend, Length { seed, ..length }))?;
    }
    let name = backend.name();
    let Length { seed, runs, steps, .. } = length;
    Ok(format!("{name}: {calls} calls like the model's; seed {seed}, {runs} runs of {steps} steps"))
}

async fn one(backend: &impl Backend, length: Length) -> Result<u64, String> {
    let Length { seed, steps, compare_every, .. } = length;
    let ws = backend.make(check::open()).await.map_err(|error| error.to_string())?;
    let mut random = Random::new(seed);
    let mut tree = Tree::default();
    let mut last = VecDeque::new();
    let mut calls = 0;
    for number in 0..steps {
        let step = Step::random(&mut random, &tree);
        if !possible(&ws, &step) {
            continue;
        }
        let mut after = tree.clone();
        let want = step.model(&mut after);
        if want == Err(Refusal::Open) {
            continue;
        }
        let got = step.run(&ws).await;
        calls += 1;
        last.push_back(format!("{step:?} → {}", brief(&got)));
        if last.len() > REMEMBERED {
            last.pop_front();
        }
        let told = |what: String| {
            let last = Vec::from(last.clone()).join("\n  ");
            format!("seed {seed}, step {number}: {what}\nthe last calls:\n  {last}")
        };
        if !agree(&want, &got) {
            return Err(told(format!("got {got:?}, the model says {want:?}")));
        }
        if want.is_ok() {
            tree = after;
        }
        if number % compare_every == 0 || number + 1 == steps {
            compare(&ws, &tree).await.map_err(told)?;
        }
    }
    Ok(calls)
}

/// Tells whether a backend, and what surrounds it, can do such a call at all.
fn possible(ws: &Subject, step: &Step) -> bool {
    let abilities = ws.fs.abilities();
    match step {
        Step::Write(..) => abilities.write,
        Step::MakeDir(..) | Step::Remove(..) => abilities.write && abilities.empty_dirs,
        Step::Rename(..) => abilities.rename && abilities.empty_dirs,
        Step::Find(..) => abilities.find,
        Step::Link(..) => {
            abilities.symlinks && ws.outside.absolute(&garth_contract::WsPath::root()).is_ok()
        }
        Step::Stat(..) | Step::List(..) | Step::Read(..) => true,
    }
}

/// An answer in a word or two.
fn brief(got: &Result<Answer, Error>) -> String {
    let text = match got {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => error.code().row().name.to_owned(),
    };
    text.chars().take(60).collect()
}

fn agree(want: &Result<Answer, Refusal>, got: &Result<Answer, Error>) -> bool {
    match (want, got) {
        (Ok(want), Ok(got)) => want == got,
        (Err(Refusal::With(codes)), Err(error)) => codes.contains(&error.code()),
        (Err(Refusal::Open), _) => true,
        (Ok(_), Err(_)) | (Err(Refusal::With(_)), Ok(_)) => false,
    }
}

/// Compares the whole tree as the workspace shows it.
async fn compare(ws: &Subject, tree: &Tree) -> Result<(), String> {
    let seen = ws.tree().await.map_err(|error| format!("the tree cannot be read: {error:?}"))?;
    let modelled = |node: &Node| match node {
        Node::File { content, .. } => Seen::File(content.clone()),
        Node::Dir => Seen::Dir,
        Node::Link(_) | Node::Special(_) => Seen::Other(node.kind()),
    };
    let want = tree.nodes.iter().map(|(path, node)| (path.clone(), modelled(node))).collect();
    if seen == want {
        return Ok(());
    }
    let extra: Vec<_> = seen.iter().filter(|(path, seen)| want.get(path) != Some(*seen)).collect();
    let missing: Vec<_> =
        want.iter().filter(|(path, node)| seen.get(path) != Some(*node)).collect();
    Err(format!("the trees differ: there {extra:?}, in the model {missing:?}"))
}
