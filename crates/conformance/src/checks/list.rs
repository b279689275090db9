//! What `list` shows of a directory.

use std::collections::BTreeSet;

use garth_contract::{Code, Kind, Page};

use crate::{
    Subject, Verdict,
    arrange::at,
    check::{checks, open},
    stop::{holds, refused, same},
};

checks! { "list"
    an_empty_root_lists_nothing [] under open covers "list.directory";
    entries_are_sorted_by_the_bytes_of_their_names [Write] under open covers "list.after.sorted";
    pages_cut_and_total_counts_all [Write] under open covers "list.after.total" "page.skip" "page.take";
    a_page_past_the_end_is_empty [Write] under open covers "list.after.total";
    every_page_of_a_large_directory_fits_the_next [Write] under open covers "list.after.total" "list.after.sorted";
    only_direct_entries_are_listed [Write] under open covers "list.directory";
    dotfiles_are_listed [Write] under open covers "list.directory";
    a_file_is_not_a_directory [Write] under open covers "list.errors.not_a_directory";
    a_missing_directory_is_not_found [] under open covers "list.errors.not_found";
    an_entry_is_what_stat_says [Write] under open covers "list.directory" "stat.entry";
    links_are_listed_as_links [Symlinks] under open covers "list.after.links";
    a_link_to_a_directory_lists_it [Symlinks] under open covers "list.link";
    a_link_to_a_file_is_not_a_directory [Symlinks] under open covers "list.link" "list.errors.not_a_directory";
    special_files_are_listed_with_their_kind [SpecialFiles] under open covers "list.directory" "common.never_blocks" "abilities.truth";
    a_pipe_is_not_a_directory [SpecialFiles] under open covers "list.errors.not_a_directory" "common.never_blocks";
    an_empty_directory_lists_nothing [Write EmptyDirs] under open covers "list.directory" "abilities.truth";
}

async fn an_empty_root_lists_nothing(ws: Subject) -> Verdict {
    let listing = ws.list("").await?;
    same("entries and total", (listing.entries.len(), listing.total), (0, 0))
}

async fn entries_are_sorted_by_the_bytes_of_their_names(ws: Subject) -> Verdict {
    let mut names =
        ["b", "a", "B", "a.txt", "a-b", "ä", "Z", "aa", "a b", "~", "_", "10", "9", "é"];
    for name in names {
        ws.write(format!("d/{name}"), "x").await?;
    }
    names.sort_unstable();
    same("names", ws.names("d").await?, names)
}

async fn pages_cut_and_total_counts_all(ws: Subject) -> Verdict {
    for name in ["a", "b", "c", "d", "e"] {
        ws.write(name, "x").await?;
    }
    for (skip, take, want) in
        [(0, 2, "ab"), (2, 2, "cd"), (4, 2, "e"), (1, 3, "bcd"), (0, 5, "abcde")]
    {
        let page = ws.fs.list(&at("")?, Page { skip, take }).await?;
        let names: Vec<_> = page.entries.iter().flat_map(|entry| entry.path.as_bytes()).collect();
        same("names", names, want.as_bytes().iter().collect::<Vec<_>>())?;
        same("total", page.total, 5)?;
    }
    Ok(())
}

async fn a_page_past_the_end_is_empty(ws: Subject) -> Verdict {
    ws.write("a", "x").await?;
    for (skip, take) in [(1, 1), (5, 5), (0, 0), (u64::MAX, u64::MAX)] {
        let page = ws.fs.list(&at("")?, Page { skip, take }).await?;
        same("entries and total", (page.entries.len(), page.total), (0, 1))?;
    }
    Ok(())
}

async fn every_page_of_a_large_directory_fits_the_next(ws: Subject) -> Verdict {
    for number in 0..1_000 {
        ws.write(format!("d/{number:04}"), "").await?;
    }
    let mut seen = BTreeSet::new();
    for skip in (0..1_000).step_by(300) {
        let page = ws.fs.list(&at("d")?, Page { skip, take: 300 }).await?;
        same("total", page.total, 1_000)?;
        for entry in page.entries {
            let name = entry.path.name().unwrap_or_default().to_vec();
            holds("pages do not overlap and are in order", seen.last() < Some(&name))?;
            seen.insert(name);
        }
    }
    same("entries on all pages", seen.len(), 1_000)
}

async fn only_direct_entries_are_listed(ws: Subject) -> Verdict {
    ws.write("d/sub/f", "x").await?;
    ws.write("d/f", "x").await?;
    ws.write("da/f", "x").await?;
    same("names", ws.names("d").await?, ["f", "sub"])
}

async fn dotfiles_are_listed(ws: Subject) -> Verdict {
    ws.write(".env", "x").await?;
    ws.write(".git/config", "x").await?;
    ws.write(".gitignore", "*").await?;
    same("names", ws.names("").await?, [".env", ".git", ".gitignore"])
}

async fn a_file_is_not_a_directory(ws: Subject) -> Verdict {
    ws.write("f", "x").await?;
    refused(ws.list("f").await, Code::NotADirectory)
}

async fn a_missing_directory_is_not_found(ws: Subject) -> Verdict {
    refused(ws.list("nope").await, Code::FileNotFound)
}

async fn an_entry_is_what_stat_says(ws: Subject) -> Verdict {
    ws.write("d/f", "12345").await?;
    ws.write("d/sub/f", "x").await?;
    for entry in ws.list("d").await?.entries {
        same("entry", ws.fs.stat(&entry.path, garth_contract::Links::Keep).await?, entry)?;
    }
    same("names", ws.names("d").await?, ["f", "sub"])
}

async fn links_are_listed_as_links(ws: Subject) -> Verdict {
    ws.plant("d/f", "12345").await?;
    ws.symlink("to_file", "d/f")?;
    ws.symlink("to_dir", "d")?;
    ws.symlink("to_nothing", "nowhere")?;
    ws.symlink("to_itself", "to_itself")?;
    for entry in ws.list("").await?.entries {
        let link = entry.path.as_bytes() != b"d";
        let want = if link { Kind::Symlink } else { Kind::Dir };
        same("kind and size", (entry.kind, entry.size), (want, 0))?;
    }
    same("total", ws.list("").await?.total, 5)
}

async fn a_link_to_a_directory_lists_it(ws: Subject) -> Verdict {
    ws.plant("d/sub/f", "x").await?;
    ws.symlink("l", "d/sub")?;
    ws.symlink("chain", "l")?;
    same("names", ws.names("l").await?, ["f"])?;
    same("names", ws.names("chain").await?, ["f"])?;
    same("names", ws.names("l").await?, ["f"])
}

async fn a_link_to_a_file_is_not_a_directory(ws: Subject) -> Verdict {
    ws.plant("f", "x").await?;
    ws.symlink("l", "f")?;
    ws.symlink("dangling", "nowhere")?;
    refused(ws.list("l").await, Code::NotADirectory)?;
    refused(ws.list("dangling").await, Code::FileNotFound)
}

async fn special_files_are_listed_with_their_kind(ws: Subject) -> Verdict {
    ws.outside.fifo(&at("a")?)?;
    ws.outside.socket(&at("b")?)?;
    let kinds: Vec<_> = ws.list("").await?.entries.iter().map(|entry| entry.kind).collect();
    same("kinds", kinds, [Kind::Fifo, Kind::Socket])?;
    if ws.outside.device(&at("c")?).is_ok() {
        same(
            "kind",
            ws.list("").await?.entries.last().map(|entry| entry.kind),
            Some(Kind::Device),
        )?;
    }
    Ok(())
}

async fn a_pipe_is_not_a_directory(ws: Subject) -> Verdict {
    ws.outside.fifo(&at("x")?)?;
    refused(ws.list("x").await, Code::NotADirectory)?;
    refused(ws.stat("x/y").await, Code::NotADirectory)
}

async fn an_empty_directory_lists_nothing(ws: Subject) -> Verdict {
    ws.make_dir("d").await?;
    same("names", ws.names("d").await?, Vec::<String>::new())?;
    same("names", ws.names("").await?, ["d"])
}
