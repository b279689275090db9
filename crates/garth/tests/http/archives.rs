//! Trees as one body, there and back.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use crate::gateway::Gateway;

const SECRET: &str = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";
const FORMATS: [(&str, &str); 3] =
    [("tar", "application/x-tar"), ("tar.zst", "application/zstd"), ("zip", "application/zip")];

fn planted(gateway: &Gateway) {
    let root = gateway.directory("default");
    fs::create_dir_all(root.join("src/deep")).unwrap();
    fs::write(root.join("src/main.rs"), "fn main() {}\n").unwrap();
    fs::write(root.join("src/deep/data.bin"), [0, 159, 146, 150, 0, 7]).unwrap();
    fs::write(root.join("src/run.sh"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(root.join("src/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("main.rs", root.join("src/link")).unwrap();
    fs::write(root.join("src/.env"), format!("STRIPE={SECRET}\n")).unwrap();
}

fn same(one: &Path, other: &Path) {
    for name in ["main.rs", "deep/data.bin", "run.sh"] {
        assert_eq!(fs::read(one.join(name)).unwrap(), fs::read(other.join(name)).unwrap());
        let (a, b) = (one.join(name).metadata().unwrap(), other.join(name).metadata().unwrap());
        assert_eq!(a.permissions().mode(), b.permissions().mode(), "{name}");
        let seconds = |facts: &fs::Metadata| {
            let since = facts.modified().unwrap().duration_since(std::time::UNIX_EPOCH);
            since.unwrap().as_secs()
        };
        assert!(seconds(&a).abs_diff(seconds(&b)) <= 2, "{name}");
    }
    assert_eq!(fs::read_link(other.join("link")).unwrap(), Path::new("main.rs"));
}

#[test]
fn a_tree_comes_as_an_archive_and_goes_back_the_same() {
    let gateway = Gateway::start();
    planted(&gateway);
    for (format, media_type) in FORMATS {
        let address =
            format!("/v1/workspaces/default/archive?path=src&format={format}&redact=false");
        let got = gateway.ask("GET", &address).send();
        assert_eq!((got.status, got.header("content-type")), (200, Some(media_type)));
        let named = format!("attachment; filename=\"src.{format}\"");
        assert_eq!(got.header("content-disposition"), Some(named.as_str()));
        let agent = format!("copy-{}", format.replace('.', "-"));
        gateway.create(&agent);
        let address = format!("/v1/workspaces/{agent}/restore?path=back");
        let put = gateway.ask("POST", &address).body(got.body.clone()).send();
        assert_eq!(put.status, 200, "{}", put.text());
        assert_eq!((&put.value()["files"], &put.value()["links"]), (&4.into(), &1.into()));
        let back = gateway.directory(&agent).join("back");
        same(&gateway.directory("default").join("src"), &back);
        assert_eq!(fs::read_to_string(back.join(".env")).unwrap(), format!("STRIPE={SECRET}\n"));
        // A second time something stands there, and nothing is touched unless asked for.
        fs::write(back.join("main.rs"), "mine\n").unwrap();
        let again = gateway.ask("POST", &address).body(got.body.clone()).send();
        assert_eq!(again.status, 409, "{}", again.text());
        assert_eq!(fs::read(back.join("main.rs")).unwrap(), b"mine\n");
        let over = gateway.ask("POST", &format!("{address}&overwrite=true")).body(got.body).send();
        assert_eq!(over.status, 200, "{}", over.text());
        same(&gateway.directory("default").join("src"), &back);
    }
}

#[test]
fn secrets_stay_behind_unless_an_operator_asks_for_them() {
    let gateway = Gateway::start();
    planted(&gateway);
    let holds =
        |bytes: &[u8]| bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
    let clean = gateway.ask("GET", "/v1/workspaces/default/archive").send();
    assert_eq!(clean.status, 200);
    assert!(!holds(&clean.body));
    let raw = gateway.ask("GET", "/v1/workspaces/default/archive?redact=false").send();
    assert!(holds(&raw.body));
}

#[test]
fn what_leads_out_or_is_no_archive_changes_nothing() {
    let gateway = Gateway::start();
    let outside = gateway.directory("default").parent().unwrap().join("evil");
    for (bytes, status) in [
        (member("../evil"), 403),
        (member("/evil"), 403),
        ([member("good"), member("../evil")].concat(), 403),
        (b"this is no archive".to_vec(), 400),
        (Vec::new(), 400),
        (member("good")[..600].to_vec(), 400),
    ] {
        let put = gateway.ask("POST", "/v1/workspaces/default/restore").body(bytes).send();
        assert_eq!(put.status, status, "{}", put.text());
        assert!(!outside.exists());
        assert_eq!(fs::read_dir(gateway.directory("default")).unwrap().count(), 0);
    }
    let wrong = gateway.ask("GET", "/v1/workspaces/default/archive?format=rar").send();
    assert_eq!(wrong.status, 400, "{}", wrong.text());
}

/// A tape archive's member of this name, with four bytes.
fn member(name: &str) -> Vec<u8> {
    let mut header = [0_u8; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[100..108].copy_from_slice(b"0000644\0");
    header[108..116].copy_from_slice(b"0000000\0");
    header[116..124].copy_from_slice(b"0000000\0");
    header[124..136].copy_from_slice(b"00000000004\0");
    header[136..148].copy_from_slice(b"00000000000\0");
    header[148..156].fill(b' ');
    header[156] = b'0';
    header[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut bytes = header.to_vec();
    let mut content = b"evil".to_vec();
    content.resize(512, 0);
    bytes.extend(content);
    bytes
}
