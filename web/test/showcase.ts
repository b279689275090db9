// A workspace that looks like one that is worked in, for pictures.
import { deflateSync, crc32 } from "node:zlib";

const rust = `//! Counts words, and says which are the most frequent.

use std::collections::HashMap;

/// The words of a text, each with how often it stands there.
pub fn counted(text: &str) -> HashMap<&str, usize> {
    let mut found = HashMap::new();
    for word in text.split_whitespace() {
        *found.entry(word).or_insert(0) += 1;
    }
    found
}

/// The most frequent words first; those that are even by name.
pub fn ranked(text: &str) -> Vec<(&str, usize)> {
    let mut all: Vec<_> = counted(text).into_iter().collect();
    all.sort_by(|(a, x), (b, y)| y.cmp(x).then(a.cmp(b)));
    all
}

fn main() {
    let text = std::fs::read_to_string("input.txt").unwrap_or_default();
    for (word, count) in ranked(&text).into_iter().take(10) {
        println!("{count:>6} {word}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_word_is_first() {
        assert_eq!(ranked("b a b"), [("b", 2), ("a", 1)]);
    }
}
`;

export const showcase: Record<string, string | Uint8Array> = {
  "src/main.rs": rust,
  "src/report.rs": "//! Writes a report.\n\npub fn report(words: &[(&str, usize)]) -> String {\n    words.iter().map(|(word, count)| format!(\"{count} {word}\\n\")).collect()\n}\n",
  "src/report_v2.rs": "//! Writes a report, with a title.\n\npub fn report(title: &str, words: &[(&str, usize)]) -> String {\n    let mut out = format!(\"# {title}\\n\\n\");\n    for (word, count) in words {\n        out.push_str(&format!(\"{count:>6} {word}\\n\"));\n    }\n    out\n}\n",
  "tests/words.rs": "#[test]\nfn nothing_has_no_words() {}\n",
  "docs/guide.md": "# Guide\n\nRun `cargo run` in this directory.\n",
  "docs/plan.md": "# Plan\n\n- [x] count words\n- [ ] write a report\n- [ ] read from standard input\n",
  "assets/chart.png": chart(),
  "assets/words.bin": Uint8Array.from({ length: 4_096 }, (_, at) => (at * 37) % 256),
  "Cargo.toml": '[package]\nname = "words"\nversion = "0.3.0"\nedition = "2024"\n\n[dependencies]\nserde = "1"\n',
  "settings.toml": `# Where reports go.\n[report]\nformat = "markdown"\nkeep_days = 30\n\n[upload]\nbucket = "reports"\napi_key = "sk_live_${"4eC39HqLyjWDarjtT1zdp7dc"}"\npassword = "correct-horse-battery"\n`,
  "README.md": "# Words\n\nCounts the words of a text.\n",
  "input.txt": "the quick brown fox jumps over the lazy dog\n".repeat(400),
  ".gitignore": "/target\n",
};

/** A small picture, made here so that no file has to be kept. */
function chart(): Uint8Array {
  const [width, height] = [320, 200];
  const rows = Buffer.alloc((width * 3 + 1) * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const bar = Math.floor(x / 32);
      const tall = [40, 70, 55, 110, 95, 130, 150, 120, 170, 160][bar] ?? 0;
      const inside = x % 32 > 5 && height - y < tall;
      rows.set(inside ? [63, 107, 79] : [244, 246, 242], y * (width * 3 + 1) + 1 + x * 3);
    }
  }
  const part = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
    const out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), part("IHDR", head), part("IDAT", deflateSync(rows)), part("IEND", Buffer.alloc(0))]);
}
