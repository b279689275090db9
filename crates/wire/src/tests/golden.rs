//! The bytes of every message of this generation.
//!
//! A guest may be older than the program that speaks to it. Whoever changes a line of
//! these tables has made another generation, and says so in `GENERATION`.

use garth_contract::{Abilities, ProcessId, ShellAbilities};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::{
    bytes, frame,
    samples::{answers, requests},
};
use crate::{
    Answer, GENERATION, Request, Welcome,
    hello::{self, Stranger},
};

const REQUESTS: &[(&str, &str)] = &[
    ("ping", "01000000000000000000000000"),
    ("stat", "0600000000000000000000000103612f6201"),
    ("list", "0d0000000000000000000000020001ffffffffffffffffff01"),
    ("read whole", "060000000000000000000000030166008020"),
    ("read bytes", "060000000000000000000000030166010102"),
    ("read lines", "07000000000000000000000003016602010203"),
    ("read last", "060000000000000000000000030166030102"),
    (
        "write unchanged",
        "2d000000000000000000000004016605627974657302ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f050100",
    ),
    ("write any", "0e0000000000000000000000040166056279746573000001ed03"),
    ("write absent", "0c0000000000000000000000040166056279746573010000"),
    (
        "write holding",
        "2d000000000000000000000004016605627974657302ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f050100",
    ),
    ("make_dir", "04000000000000000000000005016400"),
    ("remove", "04000000000000000000000006016401"),
    ("rename", "07000000000000000000000007016101620100"),
    (
        "find",
        "3100000000000000000000000803737263010200072a2a2f2a2e7273010178000201010102666e01020102010201010380808080802001057372632f61",
    ),
    ("enough", "01000000000000000000000009"),
    ("watch", "0600000000000000000000000a0177000000"),
    ("run", "1e00000000000000000000000b00076563686f202441016401014101310102696e8827011850ac02c801"),
    ("start", "1500000000000000000000000c0102026c7301ff000002c0a9070080a00180f001"),
    ("output", "0c00000000000000000000000d07098080400180cab5ee01"),
    ("input", "0600000000000000000000000e070002790a"),
    ("input end", "0300000000000000000000000e0701"),
    ("signal", "0300000000000000000000000f0702"),
    ("resize", "0500000000000000000000001007328401"),
    ("processes", "01000000000000000000000011"),
    ("end", "0200000000000000000000001207"),
    ("read_link", "03000000000000000000000013016c"),
    ("stage", "030000000000000000000000140164"),
    (
        "parts",
        "2d0000000000000000000000150400016401ed03010080e2cfaa06050103642f6600000205627974657303016c03642f66010080e2cfaa0605",
    ),
    ("read back", "0800000000000000000000001603642f6605ac02"),
    ("land", "0200000000000000000000001701"),
    ("discard", "01000000000000000000000018"),
];

const ANSWERS: &[(&str, &str)] = &[
    (
        "refused",
        "7a00000000000000000000000008434f4e464c494354297468652066696c6520686173206368616e6765642073696e63652069742077617320726561643a2061010b4c6f6f6b20616761696e2e01016108000201c801010102020303040405050606ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f05070700",
    ),
    (
        "refused plainly",
        "2900000000000000000000000009524541445f4f4e4c591a74686520776f726b737061636520697320726561642d6f6e6c79000000",
    ),
    ("done", "01000000000000000000000001"),
    ("told", "0f00000000000000000000000200ac02010080e2cfaa060501a403"),
    ("names", "1200000000000000000000000301016e00ac02010080e2cfaa060501a403"),
    ("listed", "020000000000000000000000040c"),
    (
        "content",
        "32000000000000000000000005056279746573010601ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f0501010101010200",
    ),
    (
        "written",
        "24000000000000000000000006ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f050100",
    ),
    ("made", "0200000000000000000000000701"),
    ("removed", "030000000000000000000000080104"),
    ("renamed", "030000000000000000000000090301"),
    (
        "found",
        "3600000000000000000000000a00016500ac02010080e2cfaa060501a40301016e02020166030163e80704016c010104746578740005020004746578740200010204",
    ),
    ("summary", "0700000000000000000000000b010109020304"),
    ("events", "0700000000000000000000000c020001700201"),
    ("announced", "0300000000000000000000000dac02"),
    ("report", "1700000000000000000000000eac0201090103040468656164047461696ce807000000"),
    ("started", "0300000000000000000000000fac02"),
    ("printed", "160000000000000000000000100a0200036f75740103657272100414010109010304"),
    ("processes", "1200000000000000000000001101ac0207736c656570203101003c000500"),
    ("ended", "060000000000000000000000120003000304"),
    ("bytes", "06000000000000000000000013042e2e2f66"),
    ("landed", "0200000000000000000000001409"),
];

/// What both sides say first, the guest with a welcome.
const HELLO: &str = "7f67617274680d0a0300000000000000";
const WELCOME: &str =
    "7f67617274680d0a030000001e00000030313233343536373839616263646566c801010001000100010001010001";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A table as it would be written down, to be compared whole.
fn table(rows: impl IntoIterator<Item = (&'static str, String)>) -> String {
    rows.into_iter().map(|(name, hex)| format!("    (\"{name}\", \"{hex}\"),\n")).collect()
}

fn golden(rows: &[(&'static str, &'static str)]) -> String {
    table(rows.iter().map(|(name, hex)| (*name, (*hex).to_owned())))
}

#[test]
fn every_request_has_its_bytes() {
    let now = requests().into_iter().map(|(name, one)| (name, hex(&bytes(one.encode()))));
    let now = table(now);
    assert!(now == golden(REQUESTS), "the requests of generation {GENERATION} are now\n{now}");
}

#[test]
fn every_answer_has_its_bytes() {
    let now = answers().into_iter().map(|(name, one)| (name, hex(&bytes(one.encode()))));
    let now = table(now);
    assert!(now == golden(ANSWERS), "the answers of generation {GENERATION} are now\n{now}");
}

#[test]
fn every_message_is_read_as_it_was_written() {
    for (name, request) in requests() {
        let written = bytes(request.encode());
        let read = Request::decode(frame(&written).unwrap()).unwrap();
        assert_eq!(bytes(read.encode()), written, "{name}");
    }
    for (name, answer) in answers() {
        let written = bytes(answer.encode());
        let read = Answer::decode(frame(&written).unwrap()).unwrap();
        assert_eq!(bytes(read.encode()), written, "{name}");
        assert_eq!(format!("{read:?}"), format!("{answer:?}"), "{name}");
    }
}

fn welcome() -> Welcome {
    Welcome {
        session: *b"0123456789abcdef",
        first: ProcessId(200),
        files: Abilities {
            write: true,
            rename: false,
            empty_dirs: true,
            symlinks: false,
            special_files: true,
            modes: false,
            any_names: true,
            watch: false,
            find: true,
            trees: true,
            durable: false,
        },
        shell: ShellAbilities { terminals: true },
    }
}

#[tokio::test]
async fn the_first_words_have_their_bytes() {
    let welcome = welcome();
    let (mut ours, mut theirs) = tokio::io::duplex(1 << 10);
    let (asked, answered) =
        tokio::join!(hello::ask(&mut ours), hello::answer(&mut theirs, &welcome));
    assert_eq!((asked.as_ref(), answered), (Ok(&welcome), Ok(())));

    // One side alone, so that what it says can be heard.
    let (mut ours, mut theirs) = tokio::io::duplex(1 << 10);
    theirs.write_all(&unhex(WELCOME)).await.unwrap();
    assert_eq!(hello::ask(&mut ours).await.as_ref(), Ok(&welcome));
    assert_eq!(all(ours, theirs).await, HELLO);
    let (mut ours, mut theirs) = tokio::io::duplex(1 << 10);
    ours.write_all(&unhex(HELLO)).await.unwrap();
    assert_eq!(hello::answer(&mut theirs, &welcome).await, Ok(()));
    assert_eq!(all(theirs, ours).await, WELCOME);
}

#[tokio::test]
async fn another_generation_is_told_this_one() {
    let (mut ours, mut theirs) = tokio::io::duplex(1 << 10);
    ours.write_all(&unhex("7f67617274680d0a0900000000000000")).await.unwrap();
    let stranger = hello::answer(&mut theirs, &welcome()).await;
    assert_eq!(stranger, Err(Stranger::Generation(9)));
    assert_eq!(all(theirs, ours).await, HELLO);
}

/// What one side said before it went away.
async fn all(said: DuplexStream, mut heard: DuplexStream) -> String {
    drop(said);
    let mut words = Vec::new();
    heard.read_to_end(&mut words).await.unwrap();
    hex(&words)
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(digit).collect()
}
