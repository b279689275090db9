//! Puts the web page that `scripts/web` built into the program; without one there is an empty table.
//! And lets the program start sooner where the system can.
//!
//! A crate that embeds folders would do the same, and bring a dozen packages; what is
//! needed here are two `include_bytes!` a file.

// A build script works on the source tree and nothing else.
#![allow(clippy::disallowed_methods)]

use std::{
    collections::hash_map::DefaultHasher,
    env, fs,
    hash::{Hash, Hasher},
    io,
    path::{Path, PathBuf},
    process::Command,
};

fn main() -> io::Result<()> {
    if runs_here() {
        pack_relocations();
        link_in_unwinding()?;
    }
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/dist");
    println!("cargo:rerun-if-changed={}", built.display());
    let mut files = Vec::new();
    if built.join("index.html.br").is_file() {
        gather(&built, &mut files)?;
        files.sort();
    }
    let mut table = String::from("&[\n");
    for file in &files {
        let bytes = fs::read(file)?;
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let packed = PathBuf::from(format!("{}.br", file.display()));
        let name = file.strip_prefix(&built).unwrap_or(file).display().to_string();
        table += &format!(
            "    Part {{ path: {:?}, kind: {:?}, mark: \"{:016x}\", plain: include_bytes!({:?}), \
             brotli: include_bytes!({:?}) }},\n",
            format!("/{name}"),
            kind(&name),
            hasher.finish(),
            file.canonicalize()?,
            packed.canonicalize()?,
        );
    }
    table += "]\n";
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("web.rs"), table)
}

/// Tens of thousands of addresses in the program are set right when it starts. Packed, they are a
/// fiftieth of the size and quicker to set; a loader that does not know the form refuses the
/// program, so the C library of this machine is asked, which names it among its versions.
fn pack_relocations() {
    const KNOWN: &[u8] = b"GLIBC_ABI_DT_RELR";
    let here = format!("/lib/{}-linux-gnu/libc.so.6", target("ARCH"));
    let libraries = [here.as_str(), "/lib64/libc.so.6", "/usr/lib/libc.so.6"];
    let library = libraries.iter().find_map(|path| fs::read(path).ok()).unwrap_or_default();
    if library.windows(KNOWN.len()).any(|part| part == KNOWN) {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Of the compiler's library the program needs a dozen functions. To find and map it, and to let
/// it ask the processor what it can do, is a tenth of the time that it takes to start. Where it
/// can also be linked in, the linker finds a script under its name, and takes what it needs.
fn link_in_unwinding() -> io::Result<()> {
    const PARTS: [&str; 2] = ["libgcc_eh.a", "libgcc.a"];
    let linker = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    // Asked for a file that is not there, it repeats the name; any other answer is a path.
    let has = |part: &&str| {
        let asked = Command::new(&linker).arg(format!("-print-file-name={part}")).output();
        asked.is_ok_and(|told| told.stdout.starts_with(b"/"))
    };
    if PARTS.iter().all(has) {
        let scripts = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("linked");
        fs::create_dir_all(&scripts)?;
        let names = PARTS.map(|part| format!("-l:{part}")).join(" ");
        fs::write(scripts.join("libgcc_s.so"), format!("INPUT({names})\n"))?;
        println!("cargo:rustc-link-arg-bins=-L{}", scripts.display());
    }
    Ok(())
}

/// Whether the program is for this machine's own C library, as shared libraries.
fn runs_here() -> bool {
    let shared = !target("FEATURE").split(',').any(|feature| feature == "crt-static");
    shared
        && (target("OS") == "linux" && target("ENV") == "gnu")
        && env::var("HOST") == env::var("TARGET")
}

fn target(what: &str) -> String {
    env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default()
}

/// Every file that has a compressed one beside it.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            gather(&path, files)?;
        } else if Path::new(&format!("{}.br", path.display())).is_file() {
            files.push(path);
        }
    }
    Ok(())
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
