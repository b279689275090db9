//! The queries, for us and for the tools that are asked the same.

use garth_contract::{
    Case, Glob, Grep, Hidden, Ignored, Kinds, Lines, Order, Output, Query, Reach, Syntax, WsPath,
};

/// One question, in the words of each contender.
pub(crate) struct Named {
    pub(crate) name: &'static str,
    pub(crate) group: Group,
    question: Question,
    /// The contenders' command lines, each a tool and its arguments.
    pub(crate) others: &'static [&'static [&'static str]],
}

/// Queries that are judged together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Grep,
    Names,
}

enum Question {
    Grep { pattern: &'static str, syntax: Syntax, case: Case },
    Glob(&'static str),
    Everything,
    Files,
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
            others: &[&[
                "rg", "--no-config", "--no-require-git", "-n", "--no-heading", $($flag,)* "--", $pattern,
            ]],
        }
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
            &["fd", "--no-require-git", "--glob", "--type", "f", "Kconfig"],
            &["find", ".", "-type", "f", "-name", "Kconfig"],
        ],
    },
    Named {
        name: "glob by suffix",
        group: Group::Names,
        question: Question::Glob("**/*.c"),
        others: &[
            &["fd", "--no-require-git", "--glob", "--type", "f", "*.c"],
            &["find", ".", "-type", "f", "-name", "*.c"],
        ],
    },
    Named {
        name: "list files",
        group: Group::Names,
        question: Question::Files,
        others: &[&["fd", "--no-require-git", "--type", "f"]],
    },
    Named {
        name: "list everything",
        group: Group::Names,
        question: Question::Everything,
        others: &[&["find", ".", "-mindepth", "1"]],
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
            order: Order::Path,
            skip: 0,
            take: u64::MAX,
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
        }
        query
    }
}
