//! One suite that every `Filesystem` must pass, and one that every `Shell` must.
//!
//! The doc comments of the traits are the specification; each of their sentences
//! has a tag, and each [`Check`] says which tags it covers. A backend joins by
//! implementing [`Backend`] and one line, `conform!(name, backend);`, a place that
//! runs commands by [`shell::Backend`] and `conform_shell!(name, backend);`.

mod arrange;
mod check;
mod checks;
mod directory;
mod drops;
pub mod model;
mod outside;
mod report;
pub mod shell;
mod stop;
mod subject;
mod suite;

pub use check::{Check, Need};
pub use checks::checks;
pub use directory::Directory;
pub use outside::{Arranged, Beyond, Nothing, Outside, SECRET, time};
pub use report::Report;
pub use stop::{Cannot, Stop, Verdict};
pub use subject::{Backend, Subject};
pub use suite::Suite;

/// Tests one backend, under a name: `conform!(name, backend)`.
///
/// Makes a module of that name with two tests: one runs every check, the other
/// long random sequences of calls against the model.
#[macro_export]
macro_rules! conform {
    ($name:ident, $backend:expr) => {
        mod $name {
            #[allow(unused_imports, reason = "the backend is made from what its file knows")]
            use super::*;

            #[test]
            fn every_check_holds() {
                let only = std::env::var("GARTH_CHECK").unwrap_or_default();
                let suite = $crate::Suite { only: &only, ..$crate::Suite::default() };
                let report = suite.run(&$backend).expect("a runtime starts");
                println!("{report}");
                assert!(report.failed.is_empty(), "{} checks do not hold", report.failed.len());
            }

            #[test]
            fn it_behaves_like_the_model() {
                match $crate::model::run(&$backend, $crate::model::Length::from_environment()) {
                    Ok(report) => println!("{report}"),
                    Err(parting) => panic!("{parting}"),
                }
            }
        }
    };
}

/// Tests one place that runs commands, under a name: `conform_shell!(name, backend)`.
///
/// Makes a module of that name with one test, which runs every check; where the
/// system has no such place it says `skipped:` and why.
#[macro_export]
macro_rules! conform_shell {
    ($name:ident, $backend:expr) => {
        mod $name {
            #[allow(unused_imports, reason = "the backend is made from what its file knows")]
            use super::*;

            #[test]
            fn every_check_holds() {
                if let Some(missing) = $crate::shell::Backend::missing(&$backend) {
                    println!("skipped: {missing}");
                    return;
                }
                let only = std::env::var("GARTH_CHECK").unwrap_or_default();
                let suite = $crate::Suite { only: &only, ..$crate::Suite::default() };
                let report = suite.run_shell(&$backend).expect("a runtime starts");
                println!("{report}");
                assert!(report.failed.is_empty(), "{} checks do not hold", report.failed.len());
            }
        }
    };
}
