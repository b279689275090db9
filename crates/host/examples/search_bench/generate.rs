//! Makes a tree of source-like files, the same every time.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use crate::Outcome;

const FILES: u64 = 50_000;
/// What the tree holds is what this file says; a change of it makes a new tree.
const VERSION: &str = "search-tree 2";

/// Words of the files; the last few are seldom.
const WORDS: &[&str] = &[
    "static", "int", "struct", "return", "value", "device", "unsigned", "buffer", "index",
    "config", "handle", "error", "status", "if", "else", "while", "sizeof", "const", "u32",
];
const SELDOM: &[&str] = &["spin_lock", "spin_lock_irq", "EXPORT_SYMBOL_GPL", "probe", "resume"];

/// Makes the tree unless it is there, and returns where.
pub(crate) fn tree(at: &Path) -> Outcome<PathBuf> {
    let stamp = at.join(".version");
    if fs::read_to_string(&stamp).is_ok_and(|found| found == VERSION) {
        return Ok(at.to_path_buf());
    }
    println!("making {FILES} files in {}", at.display());
    let fail = |error: std::io::Error| format!("{}: {error}", at.display());
    if at.is_dir() {
        fs::remove_dir_all(at).map_err(fail)?;
    }
    let mut random = Random(7);
    for number in 0..FILES {
        write_file(at, number, &mut random).map_err(fail)?;
    }
    fs::write(at.join(".gitignore"), "*.o\n/build/\n!keep.o\n").map_err(fail)?;
    fs::write(&stamp, VERSION).map_err(fail)?;
    Ok(at.to_path_buf())
}

fn write_file(at: &Path, number: u64, random: &mut Random) -> std::io::Result<()> {
    let (area, part) = (number / 2_500, number / 50 % 50);
    let directory = at.join(format!("area{area}")).join(format!("part{part}"));
    if number.is_multiple_of(50) {
        fs::create_dir_all(&directory)?;
        fs::write(directory.join("Kconfig"), "config DEVICE\n\tbool \"device\"\n")?;
        fs::write(directory.join("out.o"), "PM_RESUME spin_lock\n")?;
        if part.is_multiple_of(10) {
            fs::write(directory.join(".gitignore"), "*.tmp\n")?;
        }
    }
    let suffix = random.pick(&["c", "h", "rs", "txt", "tmp"]);
    let mut file = fs::File::create(directory.join(format!("file{number}.{suffix}")))?;
    let mut text = Vec::new();
    for line in 0..random.below(600) {
        for _ in 0..random.below(9) {
            let words = if random.below(400) == 0 { SELDOM } else { WORDS };
            write!(text, "{} ", random.pick(words))?;
        }
        match random.below(5_000) {
            0 => text.extend_from_slice(b"PM_RESUME"),
            1 => text.extend_from_slice(b"pm_Resume"),
            2..9 => write!(text, "static int dev{number}_probe(void)")?,
            _ => write!(text, "{line:x}")?,
        }
        text.push(b'\n');
    }
    file.write_all(&text)
}

/// Numbers that look random and are not; good enough to vary text.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % limit.max(1)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        let index = usize::try_from(self.below(from.len() as u64)).unwrap_or(0);
        from.get(index).copied().unwrap_or_default()
    }
}
