//! Every statement is one that both databases take.

use rusqlite::Connection;

use super::{ALL, AUDIT_PAGE, BLOCK_DROP, BLOCK_LIST, MIGRATIONS};

fn database() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    let flags = rusqlite::functions::FunctionFlags::SQLITE_UTF8;
    connection.create_scalar_function("now_ms", 0, flags, |_| Ok(0_i64)).unwrap();
    MIGRATIONS.iter().for_each(|step| connection.execute_batch(step).unwrap());
    connection
}

/// The numbers of the parameters, in the order of the text.
fn parameters(text: &str) -> Vec<usize> {
    let parts = text.split('$').skip(1);
    parts
        .map(|part| part.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap())
        .collect()
}

#[test]
fn parameters_first_appear_in_the_order_of_their_numbers() {
    for (name, text) in ALL {
        let mut most = 0;
        for number in parameters(text) {
            assert!(number <= most + 1, "{name}: ${number} comes too early");
            most = most.max(number);
        }
        let connection = database();
        let statement = connection.prepare(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(statement.parameter_count(), most, "{name}");
        for number in 1..=most {
            assert_eq!(statement.parameter_name(number), Some(&*format!("${number}")), "{name}");
        }
    }
}

#[test]
fn blocks_are_found_and_dropped_without_a_look_at_all_of_them() {
    let connection = database();
    for text in [BLOCK_DROP, BLOCK_LIST] {
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}")).unwrap();
        let count = plan.parameter_count();
        let steps = plan.query_map(rusqlite::params_from_iter(vec![1; count]), |row| row.get(3));
        let steps: Vec<String> = steps.unwrap().map(Result::unwrap).collect();
        assert!(steps.iter().any(|step| step.contains("SEARCH audit_block")), "{steps:?}");
    }
}

#[test]
fn no_statement_has_words_of_one_database_alone() {
    const OWN: [&str; 16] = [
        "?",
        "AUTOINCREMENT",
        "INSERT OR",
        "REPLACE INTO",
        "ROWID",
        "PRAGMA",
        "GLOB",
        "IFNULL",
        "STRFTIME",
        "DATETIME(",
        "JULIANDAY",
        "UNIXEPOCH",
        "STRICT",
        "ATTACH",
        "VACUUM",
        "BLOB",
    ];
    let texts = ALL.iter().map(|(name, text)| (*name, *text)).chain([("AUDIT_PAGE", AUDIT_PAGE)]);
    for (name, text) in texts.chain(MIGRATIONS.iter().map(|step| ("a migration", *step))) {
        let upper = text.to_uppercase();
        for word in OWN {
            assert!(!upper.contains(word), "{name} has {word}");
        }
    }
}
