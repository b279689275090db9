//! Attacks by files of the repository: links, other directories, objects of others. Each works
//! with plain git, and with the tool nothing outside is read or changed.

use serde_json::{Value, json};

use crate::yard::{SECRET, Yard, every_action, runs_here};

/// What is planted, what plain git does with it, and how that can be seen.
struct Attack {
    name: &'static str,
    plant: &'static str,
    plain: &'static str,
    /// What must hold after plain git, as a shell says it; `$SAID` is what it printed.
    works: &'static str,
    /// A call of the tool beside every action.
    call: Option<fn(&Yard) -> Value>,
}

const OTHERS: &str = "git init -q -b main $OUTSIDE/repo; cp $OUTSIDE/secret $OUTSIDE/repo/; \
                      git -C $OUTSIDE/repo add .; git -C $OUTSIDE/repo commit -qm thesecretofothers; ";

const ATTACKS: &[Attack] = &[
    Attack {
        name: "COMMIT_EDITMSG is a link",
        plant: "ln -sf $OUTSIDE/secret .git/COMMIT_EDITMSG",
        plain: "git commit -qm overwritten",
        works: "grep -q overwritten $OUTSIDE/secret",
        call: None,
    },
    Attack {
        name: "the log of HEAD is a link",
        plant: "rm .git/logs/HEAD; ln -s $OUTSIDE/secret .git/logs/HEAD",
        plain: "git commit -qm appended",
        works: "grep -q appended $OUTSIDE/secret",
        call: None,
    },
    Attack {
        name: "MERGE_MSG is a link",
        plant: "ln -sf $OUTSIDE/secret .git/MERGE_MSG",
        plain: "git commit -q -F .git/MERGE_MSG",
        works: "git log -1 | grep -q thewordthatlies",
        call: None,
    },
    Attack {
        name: "the work tree is outside",
        plant: "git config core.worktree $OUTSIDE",
        plain: "git add -A; git commit -qm theirs; git show",
        works: "echo \"$SAID\" | grep -q thewordthatlies",
        call: None,
    },
    Attack {
        name: "a checkout writes to the work tree outside",
        plant: "git config core.worktree $OUTSIDE",
        plain: "git checkout -qf other",
        works: "[ -e $OUTSIDE/o.txt ]",
        call: None,
    },
    Attack {
        name: "objects of others",
        plant: "echo $OUTSIDE/repo/.git/objects > .git/objects/info/alternates",
        plain: "git show $(git -C $OUTSIDE/repo rev-parse HEAD)",
        works: "echo \"$SAID\" | grep -q thewordthatlies",
        call: Some(|yard| {
            let id = yard.plain("git -C $OUTSIDE/repo rev-parse HEAD").said;
            json!({"action": "show", "ref": id.trim()})
        }),
    },
    Attack {
        name: "the directory of objects is a link",
        plant: "cp -r .git/objects/. $OUTSIDE/repo/.git/objects/; rm -rf .git/objects; \
                ln -s $OUTSIDE/repo/.git/objects .git/objects",
        plain: "git commit -qm x; git show $(git -C $OUTSIDE/repo rev-parse HEAD)",
        works: "echo \"$SAID\" | grep -q thewordthatlies",
        call: None,
    },
    Attack {
        name: "a word of a file in an error",
        plant: "git config include.path $OUTSIDE/secret",
        plain: "git status",
        works: "echo \"$SAID\" | grep -q thewordthatlies",
        call: None,
    },
    Attack {
        name: ".git is a link",
        plant: "rm -rf .git; ln -s $OUTSIDE/repo/.git .git",
        plain: "git log",
        works: "echo \"$SAID\" | grep -q thesecretofothers",
        call: None,
    },
    Attack {
        name: ".git is a file that leads outside",
        plant: "rm -rf .git; echo gitdir: $OUTSIDE/repo/.git > .git",
        plain: "git log; git commit --allow-empty -qm x",
        works: "echo \"$SAID\" | grep -q thesecretofothers",
        call: None,
    },
    Attack {
        name: "commondir leads outside",
        plant: "echo $OUTSIDE/repo/.git > .git/commondir",
        plain: "git log",
        works: "echo \"$SAID\" | grep -q thesecretofothers",
        call: None,
    },
    Attack {
        name: "refs are a link",
        plant: "rm -rf .git/refs; ln -s $OUTSIDE/repo/.git/refs .git/refs",
        plain: "git tag x $(git hash-object a.txt)",
        works: "[ -e $OUTSIDE/repo/.git/refs/tags/x ]",
        call: None,
    },
    Attack {
        name: "a diff that is written to a file",
        plant: "true",
        plain: "git diff --output=$OUTSIDE/written",
        works: "[ -e $OUTSIDE/written ]",
        call: Some(|yard| {
            let to = yard.outside().join("written");
            json!({"action": "diff", "ref": format!("--output={}", to.display())})
        }),
    },
];

fn planted(attack: &Attack) -> Yard {
    let yard = Yard::with("");
    let ran = yard.plain(&format!("set -e\n{OTHERS}\n{}", attack.plant));
    assert!(ran.ok, "{}: {}", attack.name, ran.said);
    yard
}

#[test]
fn no_file_of_a_repository_leads_outside() {
    if !runs_here() {
        return;
    }
    for attack in ATTACKS {
        let plain = planted(attack);
        let said = plain.plain(attack.plain).said;
        let quoted = said.replace('\'', " ");
        let seen = plain.plain(&format!("SAID='{quoted}'\n{}", attack.works));
        assert!(seen.ok, "{}: it does not work with plain git: {said}", attack.name);

        let ours = planted(attack);
        let before = ours.all_outside();
        for params in every_action().into_iter().chain(attack.call.map(|call| call(&ours))) {
            let text = match ours.call(&params) {
                Ok(reply) => format!("{} {}", reply.text, Value::Object(reply.payload)),
                Err(failure) => Value::Object(failure.body()).to_string(),
            };
            for word in [SECRET, "thesecretofothers"] {
                assert!(!text.contains(word), "{} {params}: {text}", attack.name);
            }
            assert_eq!(ours.all_outside(), before, "{} {params}", attack.name);
        }
    }
    println!("{} attacks by files: 0 read, 0 changed outside", ATTACKS.len());
}

#[test]
fn what_lies_behind_a_link_is_not_committed() {
    if !runs_here() {
        return;
    }
    let yard = Yard::with("ln -s $OUTSIDE link; ln -s $OUTSIDE/secret one");
    for file in ["link/secret", "link/", "one"] {
        let commit = json!({"action": "commit", "message": "x", "files": [file]});
        if let Ok(reply) = yard.call(&commit) {
            // A link itself may be committed; what it leads to may not.
            assert!(!reply.text.contains("secret ("), "{}", reply.text);
        }
    }
    let commit = json!({"action": "commit", "message": "x", "files": ["link/secret"]});
    assert_eq!(yard.refused(&commit), garth_contract::Code::PathOutsideWorkspace);
    let committed = yard.plain("git log -p --all").said;
    assert!(!committed.contains(SECRET), "{committed}");
}
