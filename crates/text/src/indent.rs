//! New lines given the indentation of the file they go into.
//!
//! An old text that equals lines of the file but for indentation shows, line by
//! line, how the writer's indentation maps to the file's. The new lines follow
//! that map. Where it does not say what a line's depth is, the answer is `None`
//! and the edit is refused: a guess could move code into another block.

mod map;

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use crate::fold::indentation;

use map::{Answer, Clues, Map};

/// Lines of a file, the same lines as a writer has them, and what the writer
/// wants instead.
pub(crate) struct Block<'a> {
    /// The file's lines, without endings.
    pub(crate) file: &'a [&'a [u8]],
    /// The writer's idea of them, equal but for white space.
    pub(crate) old: &'a [&'a [u8]],
    /// What they shall become.
    pub(crate) new: &'a [&'a [u8]],
    /// The old lines that go.
    pub(crate) gone: Range<usize>,
    /// The new lines that come in their place.
    pub(crate) come: Range<usize>,
}

/// Indents the coming lines of a block like the file; `content` is all of it.
pub(crate) fn reindent(block: &Block<'_>, content: &[u8]) -> Option<Vec<Vec<u8>>> {
    let coming = block.new.get(block.come.clone())?;
    let frame = Frame::of(block);
    let clues = Clues { content, width: block.width() };
    let mut map = match frame {
        Frame::Relative { written, actual } => Map::single(written, actual, clues),
        Frame::Mapped | Frame::AsWritten | Frame::BareFirst { .. } => {
            Map::new(block.pairs(), clues)
        }
    };
    let related = block.is_related();
    let mut lines = Vec::with_capacity(coming.len());
    for (offset, line) in coming.iter().enumerate() {
        let (written, body) = indentation(line);
        if body.is_empty() {
            lines.push(Vec::new());
            continue;
        }
        let indent = match frame {
            Frame::AsWritten => written.to_vec(),
            Frame::BareFirst { first, actual } if block.come.start + offset == first => {
                actual.to_vec()
            }
            Frame::BareFirst { .. } => written.to_vec(),
            Frame::Relative { .. } | Frame::Mapped => match map.answer(written) {
                Answer::Known(indent) => indent,
                Answer::Divided(first) => block.divided(offset, written, first, related)?,
                Answer::Unknown => return None,
            },
        };
        lines.push([&indent, body].concat());
    }
    Some(lines)
}

/// What the writer's indentation of the new text is relative to.
#[derive(Clone, Copy)]
enum Frame<'a> {
    /// The old text: what held for its lines holds for the new ones.
    Mapped,
    /// The file itself: the new text is already indented like it.
    AsWritten,
    /// The file, except that the first line was copied from the middle of its
    /// line and lost its indentation.
    BareFirst { first: usize, actual: &'a [u8] },
    /// Its own first line, which goes where the old first line is.
    Relative { written: &'a [u8], actual: &'a [u8] },
}

impl<'a> Frame<'a> {
    fn of(block: &Block<'a>) -> Self {
        let mut pairs = block.pairs();
        let mut coming = indents(block.new);
        let (Some((written, actual)), Some((first, new))) = (pairs.next(), coming.next()) else {
            return Self::Mapped;
        };
        if new != written {
            // Not one line may show that it is indented some other way.
            let fits = |indent: &[u8]| indent.starts_with(actual) || actual.starts_with(indent);
            let as_written = new == actual && coming.all(|(_, indent)| fits(indent));
            return if as_written { Self::AsWritten } else { Self::Mapped };
        }
        let rest: Vec<_> = pairs.collect();
        let bare = written != actual && rest.iter().all(|(written, actual)| written == actual);
        let Some(least) = rest.iter().map(|(written, _)| written.len()).min().filter(|_| bare)
        else {
            return Self::Mapped;
        };
        // New lines as deep as the old ones are written the same way; a line
        // further left shows that the new text starts again from column 0.
        if coming.all(|(_, indent)| indent.len() >= least) {
            Self::BareFirst { first, actual }
        } else {
            Self::Relative { written, actual }
        }
    }
}

impl<'a> Block<'a> {
    /// The indentation of each old line that has text, written and actual.
    fn pairs(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let (old, file) = (self.old, self.file);
        old.iter().zip(file).filter_map(|(old, file)| {
            let (written, body) = indentation(old);
            (!body.is_empty()).then(|| (written, indentation(file).0))
        })
    }

    /// The smallest step between two depths that the writer wrote in spaces.
    fn width(&self) -> Option<usize> {
        let spaced = |lines| indents(lines).filter(|(_, indent)| !indent.contains(&b'\t'));
        let depths: BTreeSet<usize> =
            spaced(self.old).chain(spaced(self.new)).map(|(_, indent)| indent.len()).collect();
        let steps = depths.iter().zip(depths.iter().skip(1)).map(|(outer, inner)| inner - outer);
        steps.filter(|step| *step > 1).min()
    }

    /// Settles a line whose written depth stands for several depths in the
    /// file: the old text was flattened.
    fn divided(
        &self,
        offset: usize,
        written: &[u8],
        first: Vec<u8>,
        related: Related,
    ) -> Option<Vec<u8>> {
        let at = self.gone.start + offset;
        match related {
            // A block with nothing of the old one in it is flat on purpose.
            Related::No => Some(first),
            // Line for line, the new one stands where the old one stood.
            Related::Yes if self.gone.len() == self.come.len() => {
                let same = indentation(self.old.get(at)?).0 == written;
                same.then_some(())?;
                Some(indentation(self.file.get(at)?).0.to_vec())
            }
            Related::Yes => None,
        }
    }

    fn is_related(&self) -> Related {
        let has_text = |line: &&&[u8]| !indentation(line).1.is_empty();
        let outside = self
            .old
            .iter()
            .enumerate()
            .any(|(index, line)| !self.gone.contains(&index) && has_text(&line));
        if outside {
            return Related::Yes;
        }
        let old: HashSet<&[u8]> = self.old.iter().flat_map(|line| words(line)).collect();
        let shared = self.new.iter().flat_map(|line| words(line)).any(|word| old.contains(word));
        if shared { Related::Yes } else { Related::No }
    }
}

/// Whether a new text is a version of the old one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Related {
    Yes,
    No,
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_' && byte.is_ascii())
        .filter(|word| word.len() > 1)
}

/// The lines that have text, with their index and indentation.
fn indents<'a>(lines: &'a [&'a [u8]]) -> impl Iterator<Item = (usize, &'a [u8])> {
    lines.iter().enumerate().filter_map(|(index, line)| {
        let (indent, body) = indentation(line);
        (!body.is_empty()).then_some((index, indent))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&[u8]> {
        text.split('\n').map(str::as_bytes).collect()
    }

    /// Re-indents all of `new`, in a file that is nothing but `file`.
    fn indented(file: &str, old: &str, new: &str) -> Option<String> {
        let (lines, old, new) = (split(file), split(old), split(new));
        let block =
            Block { file: &lines, old: &old, new: &new, gone: 0..old.len(), come: 0..new.len() };
        let lines = reindent(&block, file.as_bytes())?;
        Some(String::from_utf8(lines.join(&b'\n')).unwrap())
    }

    #[track_caller]
    fn becomes(file: &str, old: &str, new: &str, expected: &str) {
        assert_eq!(indented(file, old, new).as_deref(), Some(expected));
    }

    #[test]
    fn tabs_and_spaces_follow_the_file() {
        becomes(
            "\tif a {\n\t\tb\n\t}",
            "    if a {\n        b\n    }",
            "    if c {\n        b\n            d\n    }",
            "\tif c {\n\t\tb\n\t\t\td\n\t}",
        );
        becomes(
            "    if a {\n        b\n    }",
            "\tif a {\n\t\tb\n\t}",
            "\tif c {\n\t\tb\n\t\t\td\n\t}",
            "    if c {\n        b\n            d\n    }",
        );
    }

    #[test]
    fn another_width_of_levels_is_scaled() {
        becomes(
            "if a:\n    b\n",
            "if a:\n  b\n",
            "if a:\n  if c:\n    d\n",
            "if a:\n    if c:\n        d\n",
        );
        becomes(
            "if a:\n  b\n",
            "if a:\n    b\n",
            "if a:\n    if c:\n        d\n",
            "if a:\n  if c:\n    d\n",
        );
    }

    #[test]
    fn a_deeper_block_is_moved_as_a_whole() {
        becomes(
            "        if x:\n            y()",
            "if x:\n    y()",
            "if z:\n    y()\n\nw()",
            "        if z:\n            y()\n\n        w()",
        );
    }

    #[test]
    fn one_line_without_indentation_carries_a_new_block_with_it() {
        becomes("\tfoo := 1", "foo := 1", "if ok {\n\tfoo := 2\n}", "\tif ok {\n\t\tfoo := 2\n\t}");
        becomes(
            "\tfoo := 1",
            "foo := 1",
            "if ok {\n    foo := 2\n}",
            "\tif ok {\n\t\tfoo := 2\n\t}",
        );
    }

    #[test]
    fn a_deliberate_change_of_depth_stays_a_change_of_depth() {
        becomes(
            "\tfoo()\n\tbar()",
            "    foo()\n    bar()",
            "        foo()\n    bar()",
            "\t\tfoo()\n\tbar()",
        );
        becomes(
            "\t\tfoo()\n\t\tbar()",
            "        foo()\n        bar()",
            "        foo()\n    bar()",
            "\t\tfoo()\n\tbar()",
        );
    }

    #[test]
    fn a_new_text_already_indented_like_the_file_is_taken_as_it_is() {
        becomes("\n  f() {}", "\nf() {}", "\n  g() {}", "\n  g() {}");
    }

    #[test]
    fn tabs_and_spaces_are_never_mixed_in_one_block() {
        becomes(
            "\tif a:\n\t\tb()",
            "    if a:\n        b()",
            "\tif c:\n        b()\n        d()",
            "\tif c:\n\t\tb()\n\t\td()",
        );
    }

    #[test]
    fn a_first_line_copied_from_the_middle_of_its_line_gets_its_indentation_back() {
        becomes(
            "  f  {\n    a\n  }",
            "f {\n    a\n  }",
            "g {\n    b\n      c\n  }",
            "  g {\n    b\n      c\n  }",
        );
        becomes("  f  {\n    a\n  }", "f {\n    a\n  }", "g {\n  b\n}", "  g {\n    b\n  }");
    }

    #[test]
    fn a_flattened_old_text_gives_line_for_line_its_depth_back() {
        becomes(
            "  if (t) {\n    return f;\n  }",
            "if (t) {\nreturn f;\n}",
            "if (f) {\nreturn t;\n}",
            "  if (f) {\n    return t;\n  }",
        );
    }

    #[test]
    fn a_flattened_old_text_with_another_number_of_lines_is_refused() {
        let file = "if x:\n    y_call()\nz_call()";
        assert_eq!(
            indented(file, "if x:\ny_call()\nz_call()", "if x:\ny_call()\nw()\nz_call()"),
            None
        );
    }

    #[test]
    fn a_flat_block_with_nothing_of_the_old_one_goes_where_the_old_one_began() {
        becomes("  hello\n    world", "hello\nworld", "goodbye\nmoon", "  goodbye\n  moon");
    }

    #[test]
    fn indentation_that_fits_nothing_known_is_refused() {
        assert_eq!(indented("\t\tfoo()", "        foo()", " \t foo()"), None);
    }
}
