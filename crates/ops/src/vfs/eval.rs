//! `eval`: runs code in a language.

use garth_contract::{Program, Result};
use schemars::JsonSchema;
use serde::Deserialize;

use super::shell::run;
use crate::{
    Needs, Tool,
    names::{Names, Naming, names_of},
    params::{Env, invalid, parse},
    running::{Outcome, REPEATS, With},
    schema::schema_of,
};

pub(super) const TOOL: Tool = Tool {
    name: "eval",
    title: "Run code",
    summary: "Runs code in python, node or bash, and gives what it prints and its exit code; one \
              that is not 0 is no error. Each call starts anew in workdir. At most 2 minutes \
              unless timeout_ms says otherwise.",
    needs: Needs::Run,
    params: schema_of::<Params>,
    payload: schema_of::<Outcome>,
    repeats: REPEATS,
    names: names_of::<Params>,
    run: |workspace, call| {
        Box::pin(async move {
            let Params { code, language, workdir, timeout_ms, env } = parse(call.params)?;
            let (program, stdin) = language.unwrap_or(Language::Python).program(code)?;
            let with = With { workdir, timeout_ms, env, stdin };
            run(workspace, program, with, call.announce).await
        })
    },
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The code.
    code: String,
    /// What it is written in; python unless said otherwise.
    language: Option<Language>,
    /// The directory to run it in, relative to the root; the root without one.
    workdir: Option<String>,
    /// How long it may run, in milliseconds: 120,000 unless said otherwise, 3,600,000 at most.
    timeout_ms: Option<u64>,
    /// Variables for its environment, by their names.
    env: Option<Env>,
}

impl Naming for Params {
    fn names(self) -> Names {
        Names::run(self.code, self.workdir)
    }
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Language {
    #[serde(alias = "python3", alias = "py")]
    Python,
    #[serde(alias = "javascript", alias = "js")]
    Node,
    #[serde(alias = "sh", alias = "shell")]
    Bash,
}

impl Language {
    /// The program that runs the code, and what it reads.
    ///
    /// A script of bash that came by standard input would share it with the commands
    /// in it, so it comes as an argument.
    fn program(self, code: String) -> Result<(Program, Option<String>)> {
        let reads = |name: &str| Program::arguments(vec![name.into(), b"-".to_vec()]);
        if code.trim().is_empty() {
            return Err(invalid("the code is empty"));
        }
        match self {
            Self::Python => Ok((reads("python3")?, Some(code))),
            Self::Node => Ok((reads("node")?, Some(code))),
            Self::Bash => Ok((Program::script(code)?, None)),
        }
    }
}
