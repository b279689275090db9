//! `garth completions` and `garth man`: what shells and `man` know of the arguments,
//! written from the arguments themselves.

use clap::CommandFactory;
use garth_contract::{Code, Error};

use crate::{
    args::{self, Args},
    output::{Format, Outcome, Output},
};

/// Prints what a shell needs to complete the arguments.
pub(crate) fn completions(args: &args::Completions, output: &Output) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "garth", &mut script);
    print(&script, output)
}

/// Prints a page of the manual.
pub(crate) fn page(args: &args::Man, output: &Output) -> Outcome {
    let mut command = Args::command().disable_help_subcommand(true);
    // Only this gives commands below others their whole names.
    command.build();
    let mut found = &command;
    for name in &args.command {
        let Some(below) = found.find_subcommand(name) else {
            let error = Error::new(Code::InvalidParams, format!("there is no command {name:?}"));
            output.failure(&error.hint("garth --help lists the commands."), Format::Text);
            return Outcome::WrongUsage;
        };
        found = below;
    }
    let mut page = Vec::new();
    match clap_mangen::Man::new(found.clone()).render(&mut page) {
        Ok(()) => print(&page, output),
        // It is written to memory.
        Err(_) => Outcome::Failed,
    }
}

fn print(text: &[u8], output: &Output) -> Outcome {
    output.piece(&String::from_utf8_lossy(text));
    Outcome::Done
}
