//! Patterns that are refused, and where.

use garth_contract::Output;

use super::*;

fn grep(pattern: &str, syntax: Syntax, lines: Lines) -> Grep {
    Grep {
        pattern: pattern.into(),
        syntax,
        case: Case::Sensitive,
        lines,
        output: Output::Content,
        before: 0,
        after: 0,
    }
}

fn position(pattern: &str) -> Option<u64> {
    let error = compile(&grep(pattern, Syntax::Regex, Lines::Single)).err()?;
    assert_eq!(error.code(), Code::InvalidPattern, "{pattern}");
    assert!(!error.to_string().contains('\n'), "{error}");
    error.details().iter().find_map(|detail| {
        let Detail::Position(position) = detail else { return None };
        Some(*position)
    })
}

#[test]
fn a_wrong_regex_is_refused_where_it_is_wrong() {
    for (pattern, wrong) in [
        ("a(b", 1),
        ("a)b", 1),
        ("a)|(b", 1),
        ("ab[c", 2),
        ("x{2,1}", 1),
        ("*a", 0),
        ("é(", 2),
        (r"a\", 1),
        (r"\p{Nope}", 0),
        ("a(?P<x>b)(?P<x>c)", 5),
        ("(?x)a\n  b(c", 9),
        ("a\nb\n(", 4),
    ] {
        assert_eq!(position(pattern), Some(wrong), "{pattern}");
    }
}

#[test]
fn a_pattern_too_large_is_refused_at_once() {
    for pattern in [&"a".repeat(1 << 20), r"(\w{1000}){1000}", r"(?:(?:a{1000}){1000}){1000}"] {
        assert!(position(pattern).is_some(), "{pattern:.20}");
    }
    assert!(position(&format!("{}{}", "(".repeat(10_000), ")".repeat(10_000))).is_some());
}

#[test]
fn a_line_end_needs_a_multi_line_search() {
    for syntax in [Syntax::Regex, Syntax::Fixed, Syntax::Word] {
        let error = compile(&grep("a\nb", syntax, Lines::Single)).unwrap_err();
        assert_eq!(error.details(), [Detail::Position(1)]);
        assert!(error.advice().contains("multi-line"), "{}", error.advice());
        assert!(compile(&grep("a\nb", syntax, Lines::Multi)).is_ok());
    }
    assert_eq!(position(r"a\nb"), Some(1));
}

#[test]
fn a_nul_is_in_no_text() {
    assert_eq!(position(r"a\x00"), Some(1));
}

#[test]
fn fixed_text_needs_no_syntax() {
    for text in ["a(b", "[", "\\", "*", "{", ""] {
        assert!(compile(&grep(text, Syntax::Fixed, Lines::Single)).is_ok(), "{text}");
    }
}
