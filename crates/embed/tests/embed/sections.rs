//! Sections say what is true of the place, and bring the tools for it.

use garth_embed::{
    Access, Backend, Bounds, Code, Commands, DIALECTS, Durability, Limits, Needs, Place, Policy,
    Registry, Section, Setup, dialect, instructions, json,
};

use crate::fixture::{memory, says};

fn section(policy: Policy) -> Section {
    Section::workspace(Setup::standard(Backend::memory(policy).unwrap())).unwrap()
}

fn needs_commands(needs: Needs) -> bool {
    matches!(needs, Needs::Follow | Needs::Run | Needs::Git)
}

#[test]
fn a_section_has_a_title_a_key_instructions_tools_and_files() {
    let section = section(Policy::open());
    assert_eq!((section.title.as_str(), section.key.as_str()), ("Workspace", "workspace"));
    let dialect = dialect("workspace").unwrap();
    assert!(section.instructions.starts_with(dialect.instructions.trim_end()));
    let files = dialect.tools.iter().filter(|tool| !needs_commands(tool.needs));
    assert_eq!(section.tools.len(), files.count());
    assert!(section.backend().abilities().write);
}

#[test]
fn a_section_renders_as_markdown() {
    let page = section(Policy::open()).render();
    assert!(page.starts_with("## Workspace\n\nYou work in one directory tree"), "{page}");
    assert!(
        page.ends_with(
            "\n\nIn this place:\n\n\
         - What is written may be lost when the machine or the program stops.\n\
         - A file can have at most 1 GiB.\n\
         - A reply shows at most 2,000 lines of a file and 10,000 results of a search; texts of \
         more than 10 MB are neither edited nor compared.\n\n\
         Tools: `read`, `write`, `edit`, `apply_patch`, `glob`, `grep`, `list`, `move`, `delete`, \
         `mkdir`, `stat`, `diff`.\n"
        ),
        "{page}"
    );
}

#[test]
fn every_rule_of_the_place_is_said() {
    let policy = Policy {
        allow: vec!["src/**".into()],
        deny: vec![".env".into(), "a`b".into(), "c\nd".into()],
        protect: vec!["Cargo.lock".into()],
        max_file: 1_000_000,
        quota: Some(5 << 20),
        ..Policy::open()
    };
    let page = section(policy).instructions;
    for sentence in [
        "- Only these paths can be seen and touched: `src/**`.\n",
        "- These paths can be neither seen nor touched: `.env`, `` a`b ``, `c\\x0ad`.\n",
        "- These paths can be read but not changed: `Cargo.lock`.\n",
        "- A file can have at most 1 MB, and all files together at most 5 MiB.\n",
    ] {
        assert!(page.contains(sentence), "{sentence}\n{page}");
    }
}

#[test]
fn many_rules_are_cut_and_say_so() {
    let deny = (0..25).map(|index| format!("secret{index}")).collect();
    let page = section(Policy { deny, ..Policy::open() }).instructions;
    assert!(page.contains("`secret19` and 5 more."), "{page}");
    assert!(!page.contains("secret20"));
}

#[tokio::test]
async fn where_nothing_can_be_written_no_tool_writes() {
    let policy =
        Policy { access: Access::ReadOnly, protect: vec!["Cargo.lock".into()], ..Policy::open() };
    let section = section(policy);
    assert!(section.tools.iter().all(|tool| tool.needs == Needs::Read));
    assert!(!section.tools.is_empty());
    assert!(section.instructions.contains("- It is read-only: nothing can be changed"));
    assert!(!section.instructions.contains("Cargo.lock"));
    let session = section.session(Bounds::standard()).unwrap();
    let result = session.call("write", json!({ "path": "a", "content": "" })).await;
    assert_eq!(result.code(), Some(Code::UnknownMethod));
}

#[test]
fn a_directory_whose_writes_are_synced_loses_nothing_and_says_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let lost = "may be lost";
    for (durability, said) in [(Durability::Synced, false), (Durability::Fast, true)] {
        let policy = Policy { durability, ..Policy::open() };
        let backend = Backend::host(directory.path(), policy).unwrap();
        let section = Section::workspace(Setup::standard(backend)).unwrap();
        assert_eq!(section.instructions.contains(lost), said, "{durability:?}");
    }
}

#[test]
fn every_dialect_makes_a_section() {
    for dialect in DIALECTS {
        let section = Section::of(dialect, Setup::standard(memory()));
        assert_eq!(section.key, dialect.name);
        let mut registry = Registry::new(Bounds::standard());
        section.register(&mut registry).unwrap();
        let files = dialect.tools.iter().filter(|tool| !needs_commands(tool.needs));
        let names: Vec<_> = files.map(|tool| tool.name).collect();
        assert_eq!(registry.names().collect::<Vec<_>>(), names);
        assert!(section.render().contains(dialect.instructions.trim_end()));
        assert!(!section.render().contains("`bash`"));
    }
}

#[test]
fn a_section_is_registered_beside_tools_of_ones_own_or_not_at_all() {
    let mut registry = Registry::new(Bounds::standard());
    registry.add(says("hello", "")).unwrap();
    section(Policy::open()).register(&mut registry).unwrap();
    assert_eq!(registry.names().next(), Some("hello"));
    section(Policy::open()).register(&mut registry).unwrap_err();
    assert_eq!(registry.names().count(), 13);
}

#[test]
fn a_server_says_the_same_words_as_a_section() {
    let section = section(Policy::open());
    let words = instructions(
        dialect("workspace").unwrap(),
        Place {
            abilities: section.backend().abilities(),
            policy: Some(&Policy::open()),
            limits: &Limits::standard(),
            commands: &Commands::None,
            git: false,
        },
    );
    assert_eq!(section.instructions, words);
}
