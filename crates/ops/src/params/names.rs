//! The names by which a parameter is also known.

/// Other words for a parameter, each of which can mean that one only.
///
/// A row counts where the tool has the second name and not the first.
const ALIASES: &[(&str, &str)] = &[
    ("file_path", "path"),
    ("filepath", "path"),
    ("file_name", "path"),
    ("filename", "path"),
    ("file", "path"),
    ("directory", "path"),
    ("dir", "path"),
    ("folder", "path"),
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
    ("query", "pattern"),
    ("regex", "pattern"),
    ("patch_text", "patch"),
    ("input", "patch"),
    ("file_glob", "include"),
    ("glob", "include"),
    ("output_mode", "output"),
    ("-a", "after"),
    ("-b", "before"),
    ("-c", "context"),
    ("max_results", "limit"),
    ("head_limit", "limit"),
    ("expected_hash", "expected_version"),
    ("recursive", "parents"),
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
}
