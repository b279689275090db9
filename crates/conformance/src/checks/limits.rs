//! The bounds of a workspace: read-only, the largest file, the quota, hard links.

use garth_contract::{Access, Code, Depth, HardLinks, Parents, Policy, Put};

use crate::{
    SECRET, Subject, Verdict,
    arrange::{ABSENT, ANY, KEEP, REPLACE, at, lines},
    check::{checks, open},
    stop::{holds, refused, same},
};

checks! { "limits"
    a_read_only_workspace_is_read [] under read_only covers "access.read_only" "access.read_write";
    a_read_only_workspace_refuses_every_change [] under read_only covers "changing.read_only" "access.read_only";
    a_file_of_the_bound_fits [Write] under small_files covers "policy.max_file";
    a_file_over_the_bound_is_refused_and_nothing_changes [Write] under small_files covers "policy.max_file" "write.errors.too_large";
    the_quota_bounds_all_files_together [Write] under small_quota covers "policy.quota" "changing.no_room";
    a_refused_write_uses_no_quota [Write] under small_quota covers "policy.quota" "changing.no_room";
    a_removal_frees_quota [Write] under small_quota covers "policy.quota";
    a_replacement_counts_what_it_adds [Write] under small_quota covers "policy.quota";
    writers_at_once_do_not_pass_the_quota [Write] under small_quota covers "policy.quota" "changing.no_room";
    a_hard_link_reads_by_default [] under open covers "hard_links.allow";
    a_write_breaks_a_hard_link [Write] under open covers "hard_links.allow" "common.nothing_outside";
    a_hard_link_is_refused_by_the_rule [] under no_hard_links covers "hard_links.refuse";
    a_hard_link_is_not_searched_under_the_rule [Find] under no_hard_links covers "hard_links.refuse" "find.unreadable";
    what_the_system_refuses_is_denied [Write] under open covers "common.system_refuses";
}

fn read_only() -> Policy {
    Policy { access: Access::ReadOnly, ..open() }
}

fn small_files() -> Policy {
    Policy { max_file: 8, ..open() }
}

fn small_quota() -> Policy {
    Policy { quota: Some(100), ..open() }
}

fn no_hard_links() -> Policy {
    Policy { hard_links: HardLinks::Refuse, ..open() }
}

async fn a_read_only_workspace_is_read(ws: Subject) -> Verdict {
    ws.plant("d/f", "x").await?;
    same("bytes", ws.read("d/f").await?, "x")?;
    same("names", ws.names("d").await?, ["f"])?;
    same("size", ws.stat("d/f").await?.size, 1)
}

async fn a_read_only_workspace_refuses_every_change(ws: Subject) -> Verdict {
    ws.plant("d/f", "x").await?;
    let before = ws.tree().await?;
    for put in [ANY, ABSENT, Put { parents: Parents::Require, ..ANY }] {
        refused(ws.put("d/f", "y", put.clone()).await, Code::ReadOnly)?;
        refused(ws.put("new", "y", put).await, Code::ReadOnly)?;
    }
    refused(ws.make_dir("new").await, Code::ReadOnly)?;
    refused(ws.remove("d/f", Depth::One).await, Code::ReadOnly)?;
    refused(ws.remove("d", Depth::All).await, Code::ReadOnly)?;
    for how in [KEEP, REPLACE] {
        refused(ws.rename("d/f", "g", how).await, Code::ReadOnly)?;
    }
    if ws.fs.abilities().trees {
        refused(ws.stage("d").await.map(drop), Code::ReadOnly)?;
    }
    same("tree", ws.tree().await?, before)
}

async fn a_file_of_the_bound_fits(ws: Subject) -> Verdict {
    ws.write("f", "12345678").await?;
    same("size", ws.stat("f").await?.size, 8)
}

async fn a_file_over_the_bound_is_refused_and_nothing_changes(ws: Subject) -> Verdict {
    ws.write("f", "old").await?;
    refused(ws.write("f", "123456789").await, Code::FileTooLarge)?;
    refused(ws.write("new/dir/f", "123456789").await, Code::FileTooLarge)?;
    same("bytes", ws.read("f").await?, "old")?;
    same("names", ws.names("").await?, ["f"])
}

async fn the_quota_bounds_all_files_together(ws: Subject) -> Verdict {
    ws.write("a", [b'x'; 60]).await?;
    ws.write("d/b", [b'x'; 40]).await?;
    refused(ws.write("c", "x").await, Code::QuotaExceeded)?;
    refused(ws.stat("c").await, Code::FileNotFound)?;
    ws.write("empty", "").await?;
    same("size", ws.stat("empty").await?.size, 0)
}

async fn a_refused_write_uses_no_quota(ws: Subject) -> Verdict {
    ws.write("a", [b'x'; 50]).await?;
    for _ in 0..5 {
        refused(ws.write("b", [b'x'; 51]).await, Code::QuotaExceeded)?;
        refused(ws.put("a", [b'x'; 50], ABSENT).await, Code::FileExists)?;
    }
    ws.write("b", [b'x'; 50]).await?;
    Ok(())
}

async fn a_removal_frees_quota(ws: Subject) -> Verdict {
    for _ in 0..5 {
        ws.write("d/a", [b'x'; 90]).await?;
        ws.remove("d/a", Depth::One).await?;
        ws.write("d/sub/a", [b'x'; 90]).await?;
        ws.remove("d", Depth::All).await?;
    }
    Ok(())
}

async fn a_replacement_counts_what_it_adds(ws: Subject) -> Verdict {
    for _ in 0..5 {
        ws.write("a", [b'x'; 90]).await?;
        ws.write("a", [b'y'; 100]).await?;
    }
    refused(ws.write("a", [b'z'; 101]).await, Code::QuotaExceeded)?;
    holds("the old content is whole", ws.read("a").await? == [b'y'; 100].as_slice())?;
    ws.write("a", "small").await?;
    ws.write("b", [b'x'; 95]).await?;
    Ok(())
}

async fn writers_at_once_do_not_pass_the_quota(ws: Subject) -> Verdict {
    for round in 0..20 {
        let mut writers = tokio::task::JoinSet::new();
        for number in 0..8 {
            let (fs, path) = (ws.fs.clone(), at(format!("r{round}/{number}"))?);
            let content = bytes::Bytes::from_static(&[b'x'; 30]);
            writers.spawn(async move { fs.write(&path, content, ANY).await });
        }
        let mut written = 0;
        for answer in writers.join_all().await {
            match answer {
                Ok(_) => written += 1,
                refusal @ Err(_) => refused(refusal, Code::QuotaExceeded)?,
            }
        }
        same("how many fitted", written, 3)?;
        ws.remove(format!("r{round}"), Depth::All).await?;
    }
    Ok(())
}

async fn a_hard_link_reads_by_default(ws: Subject) -> Verdict {
    ws.outside.hard_link_to_secret(&at("l")?)?;
    same("bytes", ws.read("l").await?, SECRET)
}

async fn a_write_breaks_a_hard_link(ws: Subject) -> Verdict {
    ws.outside.hard_link_to_secret(&at("l")?)?;
    let before = ws.outside.beyond_now()?;
    ws.write("l", "new").await?;
    same("bytes", ws.read("l").await?, "new")?;
    same("what is beyond", ws.outside.beyond_now()?, before)?;
    ws.write("a", "one").await?;
    ws.outside.hard_link(&at("a")?, &at("b")?)?;
    ws.write("a", "two").await?;
    same("the other name", ws.read("b").await?, "one")
}

async fn a_hard_link_is_refused_by_the_rule(ws: Subject) -> Verdict {
    ws.outside.hard_link_to_secret(&at("l")?)?;
    refused(ws.read("l").await, Code::PermissionDenied)?;
    ws.plant("f", "x").await?;
    same("bytes", ws.read("f").await?, "x")
}

async fn a_hard_link_is_not_searched_under_the_rule(ws: Subject) -> Verdict {
    ws.outside.hard_link_to_secret(&at("l")?)?;
    ws.plant("f", "needle").await?;
    let (found, summary) = ws.find(&lines("needle")).await?;
    same("found", found, ["f:1:needle"])?;
    same("unreadable", summary.unreadable, 1)
}

async fn what_the_system_refuses_is_denied(ws: Subject) -> Verdict {
    ws.write("d/f", "x").await?;
    ws.outside.forbid(&at("d")?)?;
    refused(ws.write("d/new", "y").await, Code::PermissionDenied)?;
    refused(ws.remove("d/f", Depth::One).await, Code::PermissionDenied)?;
    refused(ws.make_dir("d/sub").await, Code::PermissionDenied)
}
