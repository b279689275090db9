//! A workspace's records are found in whichever blocks of the chain they lie.

use std::{collections::BTreeSet, path::Path};

use garth_gateway::{
    Clock, Store,
    audit::{Audit, Begin, Config, Filter, Finding, Outlives, Record, Retention},
};

/// More than two blocks of 1,024, and part of another.
const RECORDS: i64 = 2_600;

/// How records are written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Each in a row of its own.
    Rows,
    /// Most of them many in a row.
    Packs,
    /// Many in a row, then more in rows of their own than are read at once, then many in a row.
    Both,
}

const FORMS: [Form; 3] = [Form::Rows, Form::Packs, Form::Both];

impl Form {
    /// Whether a record is to have a row of its own.
    fn is_row(self, number: i64) -> bool {
        match self {
            Self::Rows => true,
            Self::Packs => false,
            Self::Both => (1_301..=2_400).contains(&number),
        }
    }
}

struct Place {
    store: Store,
    audit: Audit,
    dir: tempfile::TempDir,
}

impl Place {
    fn open(dir: tempfile::TempDir, retention: Retention) -> Self {
        let store = Store::open(&dir.path().join("garth.db"), Clock::set_to(1_000_000)).unwrap();
        let config = Config { retention, ..Config::in_directory(dir.path()) };
        let audit = Audit::new(store.clone(), config).unwrap();
        Self { store, audit, dir }
    }

    /// Records of workspaces that are everywhere, at the edges of blocks, rare, or long ago.
    async fn filled(form: Form, retention: Retention) -> Self {
        let place = Self::open(tempfile::tempdir().unwrap(), retention);
        let intruder = place.intruder();
        let mut gathers = false;
        for number in 1..=RECORDS {
            if gathers == form.is_row(number) {
                // While somebody else has the database, records gather before it.
                let text = if gathers { "COMMIT" } else { "BEGIN IMMEDIATE" };
                intruder.execute_batch(text).unwrap();
                gathers = !gathers;
                if !gathers {
                    place.settle().await;
                }
            }
            place.append(workspace(number), &format!("{}", number % 3)).await;
            if !gathers && number % 16 == 0 {
                place.settle().await;
            }
        }
        if gathers {
            intruder.execute_batch("COMMIT").unwrap();
        }
        place.settle().await;
        let count = |text| intruder.query_row(text, [], |row| row.get::<_, i64>(0)).unwrap();
        let packs = count("SELECT count(*) FROM audit_pack");
        match form {
            Form::Rows => assert_eq!(packs, 0),
            Form::Packs | Form::Both => assert!(packs > 3, "{packs} packs"),
        }
        place
    }

    /// Waits until the database has every record.
    async fn settle(&self) {
        self.audit.list(&Filter::default(), None, 1).await.unwrap();
    }

    /// Every record, as an export has them.
    async fn all(&self) -> Vec<Record> {
        let mut all = Vec::new();
        let keep = |line: &str| {
            all.push(serde_json::from_str(line).unwrap());
            Ok(())
        };
        self.audit.export(&Filter::default(), keep).await.unwrap();
        all
    }

    /// The table of blocks has what every record gives, and nothing else.
    async fn check_blocks(&self) {
        let connection = self.intruder();
        let mut statement = connection.prepare("SELECT workspace, block FROM audit_block").unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let are: BTreeSet<(String, i64)> = rows.map(Result::unwrap).collect();
        let all = self.all().await;
        let wanted = all.into_iter().map(|one| (one.entry.workspace, one.sequence / 1_024));
        assert_eq!(are, wanted.collect());
    }

    async fn append(&self, workspace: &str, operation: &str) {
        let begin = Begin {
            workspace: workspace.to_owned().into(),
            operation: operation.to_owned().into(),
            outlives: Outlives::Gateway,
            ..Begin::default()
        };
        self.audit.open(begin).await.unwrap().close(Ok(1)).await.unwrap();
    }

    async fn again(self, retention: Retention) -> Self {
        self.store.close().await;
        Self::open(self.dir, retention)
    }

    fn intruder(&self) -> rusqlite::Connection {
        connection(&self.dir.path().join("garth.db"))
    }

    async fn retain(&self) {
        let audit = self.audit.clone();
        tokio::task::spawn_blocking(move || audit.retain()).await.unwrap().unwrap();
    }

    async fn findings(&self) -> Vec<Finding> {
        self.audit.verify(&self.audit.public_key()).await.unwrap().findings
    }

    /// The numbers of a workspace's records, page by page.
    async fn listed(&self, filter: &Filter, before: Option<i64>, limit: u32) -> Vec<i64> {
        let (mut before, mut seen) = (before, Vec::new());
        loop {
            let page = self.audit.list(filter, before, limit).await.unwrap();
            assert!(page.records.len() <= limit as usize);
            seen.extend(page.records.iter().map(|record| record.sequence));
            before = page.next;
            if before.is_none() {
                return seen;
            }
        }
    }
}

fn forever() -> Retention {
    Retention { most_bytes: None, most_age: None }
}

fn connection(path: &Path) -> rusqlite::Connection {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.busy_timeout(crate::stage::DEADLINE).unwrap();
    connection
}

fn workspace(number: i64) -> &'static str {
    match number {
        1..=3 => "early",
        1_023..=1_024 | 2_047..=2_048 => "edge",
        2_599 => "late",
        number if number % 500 == 0 => "rare",
        number if number % 2 == 0 => "even",
        _ => "",
    }
}

fn of(name: &str) -> Filter {
    Filter { workspace: Some(name.to_owned()), ..Filter::default() }
}

/// Every list of every workspace is what a look at every record gives.
async fn check_lists(place: &Place) {
    let mut all = place.all().await;
    all.reverse();
    for name in ["early", "edge", "late", "rare", "even", "", "nobody"] {
        for operation in [None, Some("1".to_owned())] {
            let filter = Filter { operation: operation.clone(), ..of(name) };
            for before in [None, Some(-1), Some(1), Some(1_024), Some(1_025), Some(2_000)] {
                let lets = |record: &&Record| {
                    record.entry.workspace == name
                        && operation.as_ref().is_none_or(|name| *name == record.entry.operation)
                        && before.is_none_or(|before| record.sequence < before)
                };
                let wanted: Vec<_> = all.iter().filter(lets).map(|one| one.sequence).collect();
                for limit in [2, 7, 1_000] {
                    if limit < 7 && wanted.len() > 20 {
                        continue;
                    }
                    let listed = place.listed(&filter, before, limit).await;
                    assert_eq!(listed, wanted, "{filter:?} before {before:?} by {limit}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_list_of_a_workspace_is_what_a_look_at_every_record_gives() {
    for form in FORMS {
        let place = Place::filled(form, forever()).await;
        let numbers = place.all().await.into_iter().map(|record| record.sequence);
        assert!(numbers.eq(1..=RECORDS), "{form:?}");
        check_lists(&place).await;
        place.check_blocks().await;
        assert_eq!(place.findings().await, [], "{form:?}");
    }
}

#[tokio::test]
async fn blocks_go_with_the_last_of_their_records() {
    for form in FORMS {
        let place = Place::filled(form, forever()).await;
        // About as much as the last 500 records.
        let few = Retention { most_bytes: Some(500 * 170), most_age: None };
        let place = place.again(few).await;
        place.retain().await;
        place.check_blocks().await;
        check_lists(&place).await;
        assert_eq!(place.findings().await, [], "{form:?}");
    }
}

/// What retention takes a record for.
fn size(record: &Record) -> i64 {
    let entry = &record.entry;
    let texts = [&entry.workspace, &entry.operation, &entry.outcome];
    160 + i64::try_from(texts.iter().map(|text| text.len()).sum::<usize>()).unwrap()
}

/// Wherever the oldest records end, in the middle of a pack or between two, the rest is as it was.
#[tokio::test]
async fn what_is_left_of_a_pack_is_as_it_was() {
    for form in [Form::Packs, Form::Both] {
        let mut place = Place::filled(form, forever()).await;
        let all = place.all().await;
        let total = "SELECT head_total FROM audit_chain";
        let whole: i64 = place.intruder().query_row(total, [], |row| row.get(0)).unwrap();
        let mut total = whole;
        // Some two records at first, then to the middle of a block, and on from there.
        for less in [340, 187_000, 17_000, 170, 150_000] {
            total -= less;
            let most_bytes = Some(u64::try_from(total).unwrap());
            place = place.again(Retention { most_bytes, most_age: None }).await;
            place.retain().await;
            let left = place.all().await;
            let dropped = all.len() - left.len();
            assert_eq!(left, all[dropped..], "{form:?}: {dropped} dropped");
            // As many as can go while the rest is still as much as may stay.
            let goes = |record: &&Record| {
                let before = all.iter().filter(|one| one.sequence <= record.sequence);
                whole - before.map(size).sum::<i64>() >= total
            };
            assert_eq!(dropped, all.iter().take_while(goes).count(), "{form:?}");
            place.check_blocks().await;
            assert_eq!(place.findings().await, [], "{form:?}: {dropped} dropped");
        }
        place.append("late", "1").await;
        let last = place.audit.list(&of("late"), None, 1).await.unwrap().records;
        assert_eq!(last[0].sequence, RECORDS + 1);
        check_lists(&place).await;
    }
}

#[tokio::test]
async fn a_pack_that_was_changed_is_found() {
    let place = Place::filled(Form::Packs, forever()).await;
    let intruder = place.intruder();
    let (first, last): (i64, i64) = intruder
        .query_row("SELECT first, last FROM audit_pack ORDER BY last LIMIT 1 OFFSET 2", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    let changed = [Finding::Changed { sequence: last }];
    let removed = |from, to| [Finding::Removed { from, to }];
    let begins = [Finding::Changed { sequence: first }, Finding::Changed { sequence: last }];
    // An entry is 4 + 8 + 8 bytes, then numbers of 8: when, how long, how much in and out.
    let flip = |at: usize| {
        format!(
            "entries = CAST(substr(entries, 1, {at}) || x'7f' || substr(entries, {at} + 2) AS BLOB)"
        )
    };
    let cases: [(String, &[Finding]); 9] = [
        (flip(20), &changed),
        (flip(44), &changed),
        ("hash = zeroblob(32)".to_owned(), &changed),
        ("hash = x'00'".to_owned(), &changed),
        ("behind = zeroblob(32)".to_owned(), &begins),
        ("entries = CAST(entries || entries AS BLOB)".to_owned(), &changed),
        ("entries = zeroblob(0)".to_owned(), &removed(first, last)),
        ("entries = 'words'".to_owned(), &removed(first, last)),
        (format!("first = {first} + 1"), &removed(first, first)),
    ];
    for (set, wanted) in cases {
        intruder.execute_batch("CREATE TABLE kept AS SELECT * FROM audit_pack").unwrap();
        let set = format!("UPDATE audit_pack SET {set} WHERE last = {last}");
        assert_eq!(intruder.execute(&set, []).unwrap(), 1);
        let findings = place.findings().await;
        for finding in wanted {
            assert!(findings.contains(finding), "{set}: {findings:?}");
        }
        intruder
            .execute_batch(
                "DELETE FROM audit_pack; INSERT INTO audit_pack SELECT * FROM kept; DROP TABLE kept",
            )
            .unwrap();
    }
    assert_eq!(place.findings().await, []);
    intruder.execute("DELETE FROM audit_pack WHERE last = ?1", [last]).unwrap();
    assert_eq!(place.findings().await, removed(first, last));
}

#[tokio::test]
async fn a_workspace_whose_block_was_dropped_is_found_again_with_its_next_record() {
    let place = Place::open(
        tempfile::tempdir().unwrap(),
        Retention { most_bytes: Some(0), most_age: None },
    );
    for _ in 0..2 {
        place.append("own", "look").await;
        place.append("other", "look").await;
        place.audit.list(&Filter::default(), None, 1).await.unwrap();
        place.retain().await;
        assert_eq!(place.listed(&of("own"), None, 10).await, Vec::<i64>::new());
    }
    place.append("own", "look").await;
    assert_eq!(place.listed(&of("own"), None, 10).await, [5]);
}

#[tokio::test]
async fn a_workspace_whose_block_another_process_dropped_is_found_again() {
    let all = Retention { most_bytes: Some(0), most_age: None };
    let place = Place::open(tempfile::tempdir().unwrap(), all);
    place.append("own", "look").await;
    place.append("other", "look").await;
    assert_eq!(place.listed(&of("own"), None, 10).await, [1]);
    let store = Store::open(&place.dir.path().join("garth.db"), Clock::system()).unwrap();
    let config = Config { retention: all, ..Config::in_directory(place.dir.path()) };
    let audit = Audit::new(store.clone(), config).unwrap();
    tokio::task::spawn_blocking(move || audit.retain()).await.unwrap().unwrap();
    store.close().await;
    place.append("own", "look").await;
    assert_eq!(place.listed(&of("own"), None, 10).await, [3]);
}

#[tokio::test]
async fn a_workspace_whose_first_record_could_not_be_committed_is_found_with_the_next() {
    let place = Place::open(tempfile::tempdir().unwrap(), forever());
    place.append("other", "look").await;
    place.audit.list(&Filter::default(), None, 1).await.unwrap();
    let intruder = place.intruder();
    let full = "CREATE TRIGGER full BEFORE UPDATE OF head_hash ON audit_chain \
                BEGIN SELECT RAISE(ABORT, 'full'); END";
    intruder.execute_batch(full).unwrap();
    let begin = Begin { workspace: "own".into(), ..Begin::default() };
    place.audit.open(begin.clone()).await.unwrap().close(Ok(1)).await.unwrap_err();
    intruder.execute_batch("DROP TRIGGER full").unwrap();
    place.audit.open(begin).await.unwrap().close(Ok(1)).await.unwrap();
    assert_eq!(place.listed(&of("own"), None, 10).await, [2]);
}

#[tokio::test]
async fn records_that_are_kept_from_being_found_are_named() {
    for form in FORMS {
        let place = Place::filled(form, forever()).await;
        let hide = "DELETE FROM audit_block WHERE workspace = 'edge' AND block = 1";
        assert_eq!(place.intruder().execute(hide, []).unwrap(), 1);
        assert_eq!(place.findings().await, [Finding::Changed { sequence: 1_024 }], "{form:?}");
    }
}

/// What a process that was killed had not taken into the database is taken at the next start.
#[tokio::test]
async fn what_was_left_in_the_journal_becomes_packs() {
    let place = Place::open(tempfile::tempdir().unwrap(), forever());
    place.append("before", "1").await;
    place.settle().await;
    let intruder = place.intruder();
    intruder.execute_batch("BEGIN IMMEDIATE").unwrap();
    for _ in 0..600 {
        place.append("left", "1").await;
    }
    // As the disk is now, a process that came after a kill would find it.
    let found = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(place.dir.path()).unwrap() {
        let file = file.unwrap();
        // What the database makes anew, and what is of the process that is still there.
        if file.file_name() != "garth.db-shm" {
            std::fs::copy(file.path(), found.path().join(file.file_name())).unwrap();
        }
    }
    intruder.execute_batch("COMMIT").unwrap();
    let found = Place::open(found, forever());
    let packs = "SELECT count(*) FROM audit_pack";
    let packs: i64 = found.intruder().query_row(packs, [], |row| row.get(0)).unwrap();
    assert!(packs > 1, "{packs} packs");
    for place in [place, found] {
        let numbers: Vec<i64> = (2..=601).rev().collect();
        assert_eq!(place.listed(&of("left"), None, 1_000).await, numbers);
        assert_eq!(place.findings().await, []);
    }
}

/// Makes a database as the version before had it, with the records of another.
fn older(from: &Path, to: &Path) {
    let old = connection(to);
    for step in [
        include_str!("../../src/store/schema_1.sql")
            .replace("BIGINT PRIMARY KEY", "INTEGER PRIMARY KEY")
            .as_str(),
        include_str!("../../src/store/schema_2.sql"),
        "INSERT INTO meta (name, value) VALUES ('schema', '2')",
    ] {
        old.execute_batch(step).unwrap();
    }
    old.execute("ATTACH ?1 AS new", [from.to_str().unwrap()]).unwrap();
    old.execute_batch(
        "INSERT INTO audit SELECT * FROM new.audit; \
         INSERT INTO audit_chain SELECT id, head, head_hash, head_total, base, base_hash, \
         base_total, journal FROM new.audit_chain",
    )
    .unwrap();
}

#[tokio::test]
async fn a_database_of_the_version_before_is_listed_and_verified() {
    let place = Place::filled(Form::Rows, forever()).await;
    place.store.close().await;
    let (new, old) = (place.dir.path().join("garth.db"), place.dir.path().join("old.db"));
    older(&new, &old);
    std::fs::rename(&old, &new).unwrap();
    let place = Place::open(place.dir, forever());
    check_lists(&place).await;
    assert_eq!(place.findings().await, []);
    place.append("late", "1").await;
    assert_eq!(place.listed(&of("late"), None, 10).await, [RECORDS + 1, 2_599]);
    let index = "SELECT count(*) FROM sqlite_schema WHERE name = 'audit_by_workspace'";
    let left: i64 = place.intruder().query_row(index, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn what_an_older_version_writes_meanwhile_is_found() {
    let place = Place::filled(Form::Rows, forever()).await;
    // It knows neither blocks nor how far they go.
    let intruder = place.intruder();
    intruder
        .execute_batch(
            "DELETE FROM audit_block WHERE block = 2; UPDATE audit_chain SET listed = 2047",
        )
        .unwrap();
    check_lists(&place).await;
    assert_eq!(place.findings().await, []);
    place.append("late", "1").await;
    check_lists(&place).await;
    place.check_blocks().await;
}
