//! The contract's suite over a scripted editor, one that saves and one that does not.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use garth_conformance::{Arranged, Backend, Directory, Outside, Subject, Suite, model};
use garth_contract::{Error, Policy, Result};
use garth_editor::{Editor, Offers, Root, Session};

use crate::{
    client::{Client, Holds, Saves},
    fixture::{PATIENT, beneath},
};

/// What the client writes beneath is not charged to the quota, but counted with what
/// other programs write, some seconds later.
const COUNTED_LATER: &str = "charge what an editor saves at once";

pub(crate) const EXCEPT: &[(&str, &str)] = &[
    ("limits.the_quota_bounds_all_files_together", COUNTED_LATER),
    ("limits.a_refused_write_uses_no_quota", COUNTED_LATER),
    ("limits.a_removal_frees_quota", COUNTED_LATER),
    ("limits.a_replacement_counts_what_it_adds", COUNTED_LATER),
    ("stage.the_quota_bounds_what_lands", COUNTED_LATER),
    ("limits.writers_at_once_do_not_pass_the_quota", COUNTED_LATER),
];

/// A watch hears what reaches the files.
const UNHEARD: &str = "tell of a text that an editor has not saved";

const EXCEPT_UNSAVED: &[(&str, &str)] = &[
    ("watch.a_replaced_file_is_modified", UNHEARD),
    ("watch.a_new_directory_is_watched_too", UNHEARD),
    ("watch.many_changes_are_all_reported_or_an_overflow_is", UNHEARD),
    ("watch.one_file_can_be_watched", UNHEARD),
    ("watch.what_is_not_below_is_not_reported", UNHEARD),
    ("watch.hidden_files_are_reported_only_when_asked", UNHEARD),
    ("watch.ignored_files_are_reported_only_when_asked", UNHEARD),
];

#[test]
fn every_check_holds_with_an_editor_that_saves() {
    every_check_holds(&Edited { name: "editor that saves", saves: Saves::AtOnce }, EXCEPT);
}

#[test]
fn every_check_holds_with_an_editor_that_does_not_save() {
    let unsaved = Edited { name: "editor that does not save", saves: Saves::Never };
    every_check_holds(&unsaved, &[EXCEPT, EXCEPT_UNSAVED].concat());
}

#[test]
fn an_editor_that_saves_behaves_like_the_model() {
    behaves_like_the_model(&Edited { name: "editor that saves", saves: Saves::AtOnce });
}

#[test]
fn an_editor_that_does_not_save_behaves_like_the_model() {
    behaves_like_the_model(&Edited { name: "editor that does not save", saves: Saves::Never });
}

pub(crate) fn every_check_holds(backend: &impl Backend, except: &[(&str, &'static str)]) {
    let only = std::env::var("GARTH_CHECK").unwrap_or_default();
    // Every call is several requests to a client; only a hang should reach this.
    let deadline = Duration::from_secs(400);
    let report = Suite { only: &only, except, deadline }.run(backend).unwrap();
    println!("{report}");
    assert!(report.failed.is_empty(), "{} checks do not hold", report.failed.len());
}

fn behaves_like_the_model(backend: &impl Backend) {
    match model::run(backend, model::Length::from_environment()) {
        Ok(report) => println!("{report}"),
        Err(parting) => panic!("{parting}"),
    }
}

struct Edited {
    name: &'static str,
    saves: Saves,
}

impl Backend for Edited {
    fn name(&self) -> &str {
        self.name
    }

    async fn make(&self, policy: Policy) -> Result<Subject> {
        let session: Arc<OnceLock<Session>> = Arc::default();
        let opened = Arc::clone(&session);
        let directory = Directory::new(move |root, policy| {
            let session = opened.get().ok_or_else(|| Error::of(garth_contract::Code::Internal))?;
            let root_of = Root::new(root)?;
            Ok(Arc::new(Editor::over(session.clone(), root_of, beneath(root, policy))))
        });
        let client = Client::new(&directory.root(), self.saves, Holds::Exactly);
        let (pipe, _) = client.connect(PATIENT);
        let opened = session.get_or_init(|| Session::new(pipe, "s", Offers::Both, PATIENT));
        let root = directory.root();
        let files = Editor::over(opened.clone(), Root::new(&root)?, beneath(&root, policy));
        let subject = Subject::new(files);
        Ok(match self.saves {
            Saves::AtOnce => subject.with(directory),
            // What is on the disk is not what there is.
            Saves::Never => subject.with(Behind(directory)),
        })
    }
}

/// A directory in which nothing is arranged; only its names are looked at.
struct Behind(Directory);

impl Outside for Behind {
    fn everything(&self) -> Arranged<Vec<Vec<u8>>> {
        self.0.everything()
    }
}
