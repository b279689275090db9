//! The queries, for us and for the tools that are asked the same.

use garth_contract::{
    Case, Facts, Glob, Grep, Hidden, Ignored, Kinds, Lines, Order, Output, Query, Reach, Syntax,
    WsPath,
};

/// One question, in the words of each contender.
pub(crate) struct Named {
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    question: Question,
    pub(crate) others: &'static [Other],
}

/// A tool that is asked the same, or nearly.
pub(crate) struct Other {
    pub(crate) label: &'static str,
    pub(crate) answer: Answer,
    /// The tool and its arguments.
    pub(crate) command: &'static [&'static str],
}

/// How a tool's answer compares with ours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The same lines.
    Same,
    /// Other lines, since it knows no ignore files.
    Other,
}

/// Queries that are judged together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Grep,
    Names,
}

enum Question {
    Grep {
        pattern: &'static str,
        syntax: Syntax,
        case: Case,
    },
    Glob(&'static str),
    /// All files that are not ignored, by name.
    Files,
    /// All entries, by name.
    Everything,
    /// All files, with size, time and mode.
    Facts,
}

macro_rules! grep {
    ($name:literal, $pattern:literal, $syntax:ident, $case:ident $(, $flag:literal)*) => {
        Named {
            name: $name,
            group: Group::Grep,
            question: Question::Grep {
                pattern: $pattern,
                syntax: Syntax::$syntax,
                case: Case::$case,
            },
            others: &[Other {
                label: "rg",
                answer: Answer::Same,
                command: &[
                    "rg", "--no-config", "--no-require-git", "-n", "--no-heading", $($flag,)*
                    "--", $pattern,
                ],
            }],
        }
    };
}

macro_rules! fd {
    ($($argument:literal),*) => {
        Other {
            label: "fd",
            answer: Answer::Same,
            command: &["fd", "--no-require-git", "--no-global-ignore-file", $($argument),*],
        }
    };
}

macro_rules! find {
    ($answer:ident, $($argument:literal),*) => {
        Other { label: "find", answer: Answer::$answer, command: &["find", $($argument),*] }
    };
}

pub(crate) const ALL: &[Named] = &[
    grep!("literal rare", "PM_RESUME", Regex, Sensitive),
    grep!("literal common", "EXPORT_SYMBOL_GPL", Regex, Sensitive),
    grep!("regex", r"static\s+int\s+\w+_probe\(", Regex, Sensitive),
    grep!("any case", "pm_resume", Regex, Insensitive, "-i"),
    grep!("no match", "zq7_no_such_text_9xk", Regex, Sensitive),
    grep!("word", "spin_lock", Word, Sensitive, "-w"),
    grep!("no literal", r"\w{5}\s+\w{5}\s+\w{5}\s+\w{5}\s+", Regex, Sensitive),
    Named {
        name: "glob by name",
        group: Group::Names,
        question: Question::Glob("**/Kconfig"),
        others: &[
            fd!("--glob", "--type", "f", "Kconfig"),
            find!(Other, ".", "-type", "f", "-name", "Kconfig"),
        ],
    },
    Named {
        name: "glob by suffix",
        group: Group::Names,
        question: Question::Glob("**/*.c"),
        others: &[
            fd!("--glob", "--type", "f", "*.c"),
            find!(Other, ".", "-type", "f", "-name", "*.c"),
        ],
    },
    Named {
        name: "list files",
        group: Group::Names,
        question: Question::Files,
        others: &[fd!("--type", "f"), find!(Other, ".", "-type", "f")],
    },
    Named {
        name: "list everything",
        group: Group::Names,
        question: Question::Everything,
        others: &[fd!("-uu"), find!(Same, ".", "-mindepth", "1")],
    },
    Named {
        name: "list with facts",
        group: Group::Names,
        question: Question::Facts,
        others: &[find!(Same, ".", "-type", "f", "-printf", "%P %s %T@ %m\\n")],
    },
];

/// Finds a query by its name.
pub(crate) fn named(name: &str) -> Option<&'static Named> {
    ALL.iter().find(|named| named.name == name)
}

impl Named {
    /// The query as we are asked it.
    pub(crate) fn query(&self) -> Query {
        let mut query = Query {
            base: WsPath::root(),
            reach: Reach::Tree,
            include: Vec::new(),
            exclude: Vec::new(),
            kinds: Kinds::Files,
            hidden: Hidden::Skip,
            ignored: Ignored::Skip,
            grep: None,
            facts: Facts::Names,
            order: Order::Path,
            skip: 0,
            take: u64::MAX,
            after: None,
        };
        match self.question {
            Question::Grep { pattern, syntax, case } => {
                query.grep = Some(Grep {
                    pattern: pattern.into(),
                    syntax,
                    case,
                    lines: Lines::Single,
                    output: Output::Content,
                    before: 0,
                    after: 0,
                });
            }
            Question::Glob(glob) => query.include.push(Glob::Path(glob.into())),
            Question::Files => {}
            Question::Everything => {
                query.kinds = Kinds::All;
                query.hidden = Hidden::Include;
                query.ignored = Ignored::Include;
            }
            Question::Facts => {
                query.facts = Facts::All;
                query.hidden = Hidden::Include;
                query.ignored = Ignored::Include;
            }
        }
        query
    }
}
