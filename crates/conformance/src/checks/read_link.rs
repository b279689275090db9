//! What `read_link` tells of a link.

use garth_contract::{Code, Policy};

use crate::{
    Subject, Verdict,
    arrange::at,
    check::{checks, open},
    stop::{refused, same},
};

checks! { "read_link"
    what_a_link_says_is_told [Trees Symlinks] under open covers "read_link.tells";
    an_absolute_link_inside_is_told_as_a_relative_one [Trees Symlinks Write EmptyDirs] under open covers "read_link.relative";
    anything_but_a_link_is_refused [Trees Write] under open covers "read_link.errors.not_a_link" "read_link.errors.not_found";
    a_link_on_the_way_is_followed [Trees Symlinks Write] under open covers "read_link.tells";
    a_denied_link_says_nothing [Trees Symlinks] under no_secrets covers "common.deny";
    a_dropped_look_leaves_nothing [Trees Symlinks] under open covers "read_link.cancel";
}

fn no_secrets() -> Policy {
    Policy { deny: vec!["secret*".into()], ..open() }
}

async fn what_a_link_says_is_told(ws: Subject) -> Verdict {
    for (name, target) in [
        ("plain", &b"d/f"[..]),
        ("dangling", b"nowhere/at all"),
        ("up", b"../../x"),
        ("outside", b"/etc/passwd"),
        ("round", b"round"),
        ("odd", b"caf\xe9/\n/."),
    ] {
        ws.symlink(name, target)?;
        same("target", ws.read_link(name).await?, target)?;
    }
    Ok(())
}

async fn an_absolute_link_inside_is_told_as_a_relative_one(ws: Subject) -> Verdict {
    ws.make_dir("d/e").await?;
    for (number, inside) in ws.outside.absolute(&at("x/y")?)?.into_iter().enumerate() {
        let (top, deep) = (format!("top{number}"), format!("d/e/deep{number}"));
        ws.symlink(&top, &inside)?;
        ws.symlink(&deep, &inside)?;
        same("target", ws.read_link(&top).await?, "x/y")?;
        same("target", ws.read_link(&deep).await?, "../../x/y")?;
    }
    Ok(())
}

async fn anything_but_a_link_is_refused(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    refused(ws.read_link("d/f").await, Code::InvalidParams)?;
    refused(ws.read_link("d").await, Code::InvalidParams)?;
    refused(ws.read_link("").await, Code::InvalidParams)?;
    refused(ws.read_link("d/g").await, Code::FileNotFound)?;
    refused(ws.read_link("e/g").await, Code::FileNotFound)?;
    refused(ws.read_link("d/f/g").await, Code::NotADirectory)
}

async fn a_link_on_the_way_is_followed(ws: Subject) -> Verdict {
    ws.write("real/f", "x").await?;
    ws.symlink("real/l", "f")?;
    ws.symlink("way", "real")?;
    same("target", ws.read_link("way/l").await?, "f")
}

async fn a_denied_link_says_nothing(ws: Subject) -> Verdict {
    ws.symlink("secret", "f")?;
    refused(ws.read_link("secret").await, Code::PermissionDenied)?;
    refused(ws.read_link("secret2").await, Code::PermissionDenied)
}

async fn a_dropped_look_leaves_nothing(ws: Subject) -> Verdict {
    ws.symlink("l", "f")?;
    for _ in 0..20 {
        drop(ws.read_link("l"));
        let short = std::time::Duration::from_micros(20);
        let _ = tokio::time::timeout(short, ws.read_link("l")).await;
    }
    same("target", ws.read_link("l").await?, "f")?;
    same("names", ws.names("").await?, ["l"])
}
