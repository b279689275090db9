//! The names by which a parameter is also known.

/// Other words for a parameter, each of which can mean that one only.
///
/// A row counts where the tool has the second name and not the first; of several
/// that count, the first.
const ALIASES: &[(&str, &str)] = &[
    ("file_path", "path"),
    ("filepath", "path"),
    ("file_name", "path"),
    ("filename", "path"),
    ("file", "path"),
    ("path_name", "path"),
    ("pathname", "path"),
    ("relative_path", "path"),
    ("absolute_path", "path"),
    ("relative_workspace_path", "path"),
    ("target_file", "path"),
    ("target_path", "path"),
    ("directory", "path"),
    ("directory_path", "path"),
    ("target_directory", "path"),
    ("dir", "path"),
    ("dir_path", "path"),
    ("folder", "path"),
    ("folder_path", "path"),
    ("source", "from"),
    ("src", "from"),
    ("from_path", "from"),
    ("source_path", "from"),
    ("old_path", "from"),
    ("destination", "to"),
    ("dest", "to"),
    ("dst", "to"),
    ("to_path", "to"),
    ("destination_path", "to"),
    ("new_path", "to"),
    ("old_str", "old_string"),
    ("old_text", "old_string"),
    ("new_str", "new_string"),
    ("new_text", "new_string"),
    ("old_string", "old_text"),
    ("old_str", "old_text"),
    ("new_string", "new_text"),
    ("new_str", "new_text"),
    ("from", "source"),
    ("to", "destination"),
    ("files", "paths"),
    ("file_paths", "paths"),
    ("exclude", "exclude_patterns"),
    ("sort", "sort_by"),
    ("contents", "content"),
    ("file_text", "content"),
    ("text", "content"),
    ("search_query", "query"),
    ("search_term", "query"),
    ("search_text", "query"),
    ("use_regex", "is_regex"),
    ("regex", "is_regex"),
    ("query", "pattern"),
    ("regex", "pattern"),
    ("patch_text", "patch"),
    ("input", "patch"),
    ("file_glob", "include"),
    ("file_pattern", "include"),
    ("glob", "include"),
    ("include", "file_glob"),
    ("file_pattern", "file_glob"),
    ("glob", "file_glob"),
    ("include", "pattern"),
    ("file_glob", "pattern"),
    ("file_pattern", "pattern"),
    ("glob_pattern", "pattern"),
    ("output_mode", "output"),
    ("-a", "after"),
    ("-b", "before"),
    ("-c", "context"),
    ("max_results", "limit"),
    ("head_limit", "limit"),
    ("max_lines", "limit"),
    ("line_start", "start_line"),
    ("from_line", "start_line"),
    ("line_end", "end_line"),
    ("to_line", "end_line"),
    ("file_content", "content"),
    ("file_contents", "content"),
    ("edit", "edits"),
    ("changes", "edits"),
    ("expected_hash", "expected_version"),
    ("recursive", "parents"),
    ("cmd", "command"),
    ("script", "command"),
    ("shell_command", "command"),
    ("code", "command"),
    ("cwd", "workdir"),
    ("working_directory", "workdir"),
    ("working_dir", "workdir"),
    ("directory", "workdir"),
    ("dir", "workdir"),
    ("environment", "env"),
    ("environment_variables", "env"),
    ("envs", "env"),
    ("timeout_millis", "timeout_ms"),
    ("timeout_milliseconds", "timeout_ms"),
    ("run_in_background", "background"),
    ("is_background", "background"),
    ("input", "stdin"),
    ("standard_input", "stdin"),
    ("lang", "language"),
    ("source", "code"),
    ("script", "code"),
    ("process_id", "id"),
    ("process", "id"),
    ("pid", "id"),
    ("task_id", "id"),
    ("bash_id", "id"),
    ("shell_id", "id"),
    ("session_id", "id"),
    ("from", "position"),
    ("offset", "position"),
    ("since", "position"),
    ("max_bytes", "limit"),
    ("last", "tail"),
    ("input", "text"),
    ("data", "text"),
    ("chars", "text"),
    ("content", "text"),
    ("stdin", "text"),
    ("eof", "close"),
    ("end", "close"),
];

/// Finds the field that a name stands for, in any spelling.
pub(super) fn field_for(name: &str, fields: &'static [&'static str]) -> Option<&'static str> {
    let snake = snake_case(name);
    // A dialect may spell its own fields as oldText.
    let known = |name: &str| {
        fields.iter().copied().find(|field| *field == name || snake_case(field) == name)
    };
    known(name).or_else(|| known(&snake)).or_else(|| {
        ALIASES.iter().filter(|(alias, _)| *alias == snake).find_map(|(_, field)| known(field))
    })
}

/// Finds the field whose name, or another word for it, comes closest to a name
/// that stands for none.
pub(super) fn nearest(name: &str, fields: &'static [&'static str]) -> Option<&'static str> {
    let snake = snake_case(name);
    let own = fields.iter().map(|field| snake_case(field));
    let others = ALIASES.iter().map(|(alias, _)| (*alias).to_owned());
    own.chain(others)
        .filter_map(|word| Some((slips(&snake, &word)?, field_for(&word, fields)?)))
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, field)| field)
}

/// How many letters of a word were missed, added or mistaken, if they are few
/// enough to be slips: one in three at most.
fn slips(name: &str, word: &str) -> Option<usize> {
    let (name, word): (Vec<char>, Vec<char>) = (name.chars().collect(), word.chars().collect());
    let most = word.len() / 3;
    if name.len().abs_diff(word.len()) > most {
        return None;
    }
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (index, letter) in name.iter().enumerate() {
        let mut corner = index;
        let mut left = index + 1;
        let mut next = vec![left];
        for (other, above) in word.iter().zip(row.iter().skip(1)) {
            left = (corner + usize::from(letter != other)).min(left + 1).min(above + 1);
            corner = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().filter(|count| *count <= most)
}

/// Turns `filePath` and `file-path` into `file_path`.
fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut after_lower = false;
    for (index, character) in name.char_indices() {
        if character.is_uppercase() {
            if after_lower {
                out.push('_');
            }
            out.extend(character.to_lowercase());
        } else if character == '-' && index > 0 {
            out.push('_');
        } else {
            out.push(character);
        }
        after_lower = character.is_lowercase() || character.is_ascii_digit();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_in_any_spelling() {
        let fields = &["path", "old_string"];
        for (name, field) in [
            ("path", "path"),
            ("Path", "path"),
            ("filePath", "path"),
            ("file-path", "path"),
            ("filename", "path"),
            ("oldString", "old_string"),
            ("old_str", "old_string"),
        ] {
            assert_eq!(field_for(name, fields), Some(field), "{name}");
        }
        assert_eq!(field_for("line", fields), None);
        for name in ["oldText", "old_text", "old-text", "old_string", "oldString"] {
            assert_eq!(field_for(name, &["oldText"]), Some("oldText"), "{name}");
        }
    }

    #[test]
    fn an_alias_counts_only_where_its_field_is() {
        assert_eq!(field_for("glob", &["pattern"]), None);
        assert_eq!(field_for("recursive", &["recursive", "parents"]), Some("recursive"));
    }

    #[test]
    fn every_alias_stands_for_its_field_in_any_spelling() {
        for (alias, field) in ALIASES {
            let camel = alias.split('_').enumerate().map(|(index, word)| match word.split_at(1) {
                (first, rest) if index > 0 => first.to_uppercase() + rest,
                (first, rest) => format!("{first}{rest}"),
            });
            for spelling in [alias.to_string(), camel.collect(), alias.replace('_', "-")] {
                let only = std::slice::from_ref(field);
                assert_eq!(field_for(&spelling, only), Some(*field), "{spelling}");
            }
        }
    }

    #[test]
    fn no_alias_is_taken_where_the_tool_has_that_name_itself() {
        for (alias, field) in ALIASES {
            let both = Box::leak(Box::new([*field, *alias]));
            assert_eq!(field_for(alias, both), Some(*alias));
        }
    }

    #[test]
    fn a_filter_of_files_is_never_taken_for_what_is_searched() {
        for (alias, fields, field) in [
            ("file_pattern", &["pattern", "include"], "include"),
            ("file_pattern", &["pattern", "file_glob"], "file_glob"),
            ("include", &["pattern", "file_glob"], "file_glob"),
            ("file_glob", &["pattern", "include"], "include"),
            ("include", &["query", "pattern"], "pattern"),
            ("regex", &["is_regex", "pattern"], "is_regex"),
        ] {
            assert_eq!(field_for(alias, fields), Some(field), "{alias}");
        }
    }

    #[test]
    fn a_slip_has_a_nearest_field_and_another_word_has_none() {
        let fields = &["path", "old_string", "start_line", "is_regex"];
        for (name, near) in [
            ("pth", Some("path")),
            ("paths", Some("path")),
            ("flie_path", Some("path")),
            ("oldSting", Some("old_string")),
            ("start_lines", Some("start_line")),
            ("isregex", Some("is_regex")),
            ("mode", None),
            ("", None),
            ("nonsense", None),
        ] {
            assert_eq!(nearest(name, fields), near, "{name}");
        }
        assert_eq!(nearest(&"x".repeat(100_000), fields), None);
        assert_eq!(nearest("oldTxt", &["oldText"]), Some("oldText"));
        assert_eq!(nearest("fileglobs", &["pattern", "file_glob"]), Some("file_glob"));
    }
}
