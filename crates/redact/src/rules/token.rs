//! The rules for secrets that show by their own form, whoever issued them.
//!
//! Examples are written in two halves where a code host's own scanner would stop a push.

use super::{Before, Find, More, Pattern, Rule};
use crate::judge::Verdict;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "PRIVATE_KEY",
        keywords: &["-----begin ", "---- begin "],
        find: Find::Pattern(Pattern {
            regex: concat!(
                r"^(-----? ?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-----?)",
                r#"(?:\\+[nrt]|[ \t\r\n"'`+,;|>#*()\\])*"#,
                r"(?:[A-Za-z0-9+/][A-Za-z0-9+/=]{15}|[A-Za-z0-9-]{2,32}: |[A-Za-z0-9+/]{1,15}={0,2}",
                r#"(?:\z|(?:\\+[nrt]|[ \t\r\n"'`+,;\\])+-----END))"#,
            ),
            before: Before::Anything,
            verdict: Verdict::Always,
            more: More::Pem,
        }),
        yes: &[
            (
                "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEpQIBAAKCAQEA7n2K\n-----END RSA PRIVATE KEY-----\nb",
                "-----BEGIN RSA PRIVATE KEY-----\nMIIEpQIBAAKCAQEA7n2K\n-----END RSA PRIVATE KEY-----",
            ),
            (
                "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\ncut off here",
                "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA",
            ),
            (
                "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\nlQVYBGGe0n4BDADRpkv3\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
                "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\nlQVYBGGe0n4BDADRpkv3\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
            ),
            (
                "{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n\"}",
                "-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----",
            ),
            ("-----BEGIN DSA PRIVATE KEY-----\nMIIB", "-----BEGIN DSA PRIVATE KEY-----\nMIIB"),
            (
                "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"k\"\nP2/56wAAAgIAAAAmZGwt\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
                "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"k\"\nP2/56wAAAgIAAAAmZGwt\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
            ),
        ],
        no: &[
            "const BEGIN: &str = \"-----BEGIN RSA PRIVATE KEY-----\";\nfn f() {}",
            "-----BEGIN CERTIFICATE-----\nMIIEpQIBAAKCAQEA7n2K\n-----END CERTIFICATE-----",
            "-----BEGIN PUBLIC KEY-----\nMIIEpQIBAAKCAQEA7n2K\n-----END PUBLIC KEY-----",
            "-----BEGIN RSA PRIVATE KEY-----=short",
            "between '-----BEGIN RSA PRIVATE KEY-----' and\n'-----END RSA PRIVATE KEY-----'",
        ],
    },
    Rule {
        name: "PRIVATE_KEY",
        keywords: &["ls0tls1crudjti"],
        find: Find::Pattern(Pattern {
            // The three ways base64 writes `PRIVATE KEY`, by where it falls in a group of three.
            regex: concat!(
                r"^LS0tLS1CRUdJTi[A-Za-z0-9+/]*",
                r"(?:UFJJVkFURSBLRVkt|BSSVZBVEUgS0VZ|QUklWQVRFIEtFWS0)[A-Za-z0-9+/]{8,}={0,2}",
            ),
            before: Before::NoBase64,
            verdict: Verdict::Always,
            more: More::Base64,
        }),
        yes: &[(
            "key: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlF\n",
            "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlF",
        )],
        no: &["cert: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUU="],
    },
    Rule {
        name: "PRIVATE_KEY",
        keywords: &["private-lines: "],
        find: Find::Pattern(Pattern {
            regex: r"^Private-Lines: [0-9]{1,3}\r?\n([A-Za-z0-9+/])[A-Za-z0-9+/=]{16}",
            before: Before::NoToken,
            verdict: Verdict::Always,
            more: More::Pem,
        }),
        yes: &[(
            "Private-Lines: 2\nAAAAgBacX2fYBase64AB\nAAAA\nPrivate-MAC: 00",
            "AAAAgBacX2fYBase64AB\nAAAA",
        )],
        no: &["Private-Lines: 2\nPrivate-MAC: 00"],
    },
    Rule {
        name: "JWT_TOKEN",
        keywords: &["eyj"],
        find: Find::Pattern(Pattern {
            regex: concat!(
                r"^eyJ(?:[A-Za-z0-9_-]{5,}\.eyJ[A-Za-z0-9_-]{3,}(?:\.[A-Za-z0-9_-]+)*",
                r"|hbGci[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]{8,})",
            ),
            before: Before::NoToken,
            verdict: Verdict::Signed,
            more: More::Token,
        }),
        yes: &[(
            "t = \"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P\"",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
        )],
        no: &[
            "eye.eyeable",
            "eyJhbGciOiJIUzI1NiJ9",
            "eyJ.eyJ.x",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.short_sig",
        ],
    },
    Rule {
        name: "JWT_TOKEN",
        keywords: &["zxlk"],
        find: Find::Pattern(Pattern {
            // A token whose text was written in base64 once more, as clusters keep it.
            regex: r"^ZXlK[A-Za-z0-9+/_-]{56,}={0,2}",
            before: Before::NoBase64,
            verdict: Verdict::Random,
            more: More::Base64,
        }),
        yes: &[(
            "token: ZXlKaGJHY2lPaUpJVXpJMU5pSjkuZXlKemRXSWlPaUl4TWpNME9EVTJOeUo5LktwNFF4N1Jt\n",
            "ZXlKaGJHY2lPaUpJVXpJMU5pSjkuZXlKemRXSWlPaUl4TWpNME9EVTJOeUo5LktwNFF4N1Jt",
        )],
        no: &["ZXlKaGJHY2lPaUpJVXpJMU5pSjk="],
    },
    Rule {
        name: "AWS_ACCESS_KEY",
        keywords: &["akia", "asia", "abia", "acca", "a3t"],
        find: Find::Pattern(Pattern {
            regex: r"^(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?-u:\b)",
            before: Before::NoAlphanumeric,
            verdict: Verdict::Always,
            more: More::Nothing,
        }),
        yes: &[
            ("id = AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
            ("\"ASIAOZW6VBVAZFJHJLQA\"", "ASIAOZW6VBVAZFJHJLQA"),
        ],
        no: &[
            "AKIA in a sentence",
            "XAKIAIOSFODNN7EXAMPLE",
            "AKIAIOSFODNN7EXAMPLEX",
            "asia pacific",
        ],
    },
    Rule {
        name: "GITHUB_TOKEN",
        keywords: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        find: Find::Pattern(Pattern {
            regex: concat!(
                r"^(?:ghs_[0-9]{1,12}_eyJ[A-Za-z0-9_-]{5,200}\.[A-Za-z0-9_-]{3,}(?:\.[A-Za-z0-9_-]+)?",
                r"|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})",
            ),
            before: Before::NoAlphanumeric,
            verdict: Verdict::Always,
            more: More::Word,
        }),
        yes: &[
            (
                concat!("GITHUB_TOKEN=gh", "p_XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg"),
                concat!("gh", "p_XIxB7KMNdAr3zqWtQqhE94qglHqOzn1D1stg"),
            ),
            (
                concat!("x github_", "pat_11AALKJEA04kc5Z9kNGzwK_zLv1venPjF9IFl5QvO2plAgKD9K y"),
                concat!("github_", "pat_11AALKJEA04kc5Z9kNGzwK_zLv1venPjF9IFl5QvO2plAgKD9K"),
            ),
            (
                "https://x:ghs_123456_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOjF9.c2lnbmF0dXJl@github.com/a/b",
                "ghs_123456_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOjF9.c2lnbmF0dXJl",
            ),
        ],
        no: &["ghp_ tag in a sentence", "ghu_short", "github_pat_short", "ghs_variable_name"],
    },
    Rule {
        name: "ANTHROPIC_API_KEY",
        keywords: &["sk-ant-"],
        find: Find::Pattern(Pattern {
            regex: r"^sk-ant-[A-Za-z0-9_-]{20,}",
            before: Before::NoToken,
            verdict: Verdict::Always,
            more: More::Token,
        }),
        yes: &[(
            concat!(
                "key: sk-",
                "ant-api03-jSq6OMjv1syXaEUE0bvOckLe_GtCKy8lvZdko3eOJgV8TH-f2iyzRekyZ"
            ),
            concat!("sk-", "ant-api03-jSq6OMjv1syXaEUE0bvOckLe_GtCKy8lvZdko3eOJgV8TH-f2iyzRekyZ"),
        )],
        no: &["sk-ant-example", "risk-ant-api03-jSq6OMjv1syXaEUE0bvOckLe"],
    },
    Rule {
        name: "OPENAI_API_KEY",
        keywords: &["sk-"],
        find: Find::Pattern(Pattern {
            regex: r"^sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})",
            before: Before::NoToken,
            verdict: Verdict::Mixed,
            more: More::Token,
        }),
        yes: &[
            (
                concat!("OPENAI_API_KEY=sk-", "ZqSkh4mQUbd9pojV52VKT3BlbkFJ2enUikl6olKWlf1I3IE7"),
                concat!("sk-", "ZqSkh4mQUbd9pojV52VKT3BlbkFJ2enUikl6olKWlf1I3IE7"),
            ),
            ("\"sk-proj-A1b2C3d4E5f6G7h8I9j0_kl-mn\"", "sk-proj-A1b2C3d4E5f6G7h8I9j0_kl-mn"),
            ("sk-svcacct-A1b2C3d4E5f6G7h8I9j0", "sk-svcacct-A1b2C3d4E5f6G7h8I9j0"),
        ],
        no: &[
            "sk-short",
            "sk-fading-circle-animation-delay-twelve",
            "task-A1b2C3d4E5f6G7h8I9j0A1b2C3d4E5f6",
        ],
    },
    Rule {
        name: "BEARER_TOKEN",
        keywords: &["bearer "],
        find: Find::Pattern(Pattern {
            regex: r"^(?i-u:bearer) {1,4}([A-Za-z0-9_\-.~+/=]{12,})",
            before: Before::NoToken,
            verdict: Verdict::Bearer,
            more: More::Token,
        }),
        yes: &[
            ("Authorization: Bearer abcdefghijkl", "abcdefghijkl"),
            ("-H 'authorization: bearer 0a1b2c3d4e5f'", "0a1b2c3d4e5f"),
        ],
        no: &[
            "Bearer authentication is used.",
            "the bearer of this document",
            "Authorization: Bearer ${TOKEN}",
            "Authorization: Bearer <your token>",
        ],
    },
    Rule {
        name: "BASIC_AUTH",
        keywords: &["basic "],
        find: Find::Pattern(Pattern {
            regex: r"^(?i-u:basic) {1,4}([A-Za-z0-9+/]{6,}={0,2})",
            before: Before::NoToken,
            verdict: Verdict::Basic,
            more: More::Base64,
        }),
        yes: &[(
            "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
            "QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
        )],
        no: &["Basic authentication", "Authorization: Basic short", "visual basic application1"],
    },
    Rule {
        name: "CONNECTION_STRING",
        keywords: &["://"],
        find: Find::Pattern(Pattern {
            regex: concat!(r#"^://[^\s:/?#@"'<>`]*:"#, r#"([^\s/?#"'<>`]+)@[A-Za-z0-9_\[*{$(.-]"#,),
            before: Before::Scheme,
            verdict: Verdict::Userinfo,
            more: More::Nothing,
        }),
        yes: &[
            ("postgresql://user:s3cret@localhost/db", "s3cret"),
            ("DATABASE_URL=mysql://root:p@ss@w0rd@db:3306/x?y=a@b", "p@ss@w0rd"),
            ("mongodb+srv://me:D1fficultP%40ss@c0.mongodb.net/?w=1", "D1fficultP%40ss"),
            ("redis://:hunter2@cache:6379/0", "hunter2"),
            ("git clone https://me:hunter2@example.com/r.git", "hunter2"),
        ],
        no: &[
            "postgres://localhost:5432/db",
            "http://localhost:8080/a@b",
            "https://example.com/a:b@c",
            "mysql://user:${PASSWORD}@host/db",
            "amqp://user:*****@example.com",
            "a = \"http://x:\"\nb = c @ d",
        ],
    },
    Rule {
        name: "CONNECTION_STRING",
        keywords: &[
            "postgres://",
            "postgresql://",
            "mysql://",
            "mongodb://",
            "redis://",
            "amqp://",
        ],
        find: Find::Pattern(Pattern {
            // A slash, question mark or hash that somebody forgot to escape.
            regex: concat!(
                r"^[a-z]+://[A-Za-z0-9_.%+-]{0,64}:",
                r"([!$-&(-.0-;=A-_a-~]{1,64}[/?#][!#-&(-;=?A-_a-~]{0,64})@[A-Za-z0-9_-]{1,64}[.:/]",
            ),
            before: Before::NoAlphanumeric,
            verdict: Verdict::Userinfo,
            more: More::Nothing,
        }),
        yes: &[("postgres://app:ab/cd+e#f@db:5432/x", "ab/cd+e#f")],
        no: &["redis://localhost:6379/0?user=a@b.c"],
    },
    Rule {
        name: "DATABASE_PASSWORD",
        keywords: &["identified by ", "requirepass "],
        find: Find::Pattern(Pattern {
            regex: r#"^(?i-u:identified by {1,4}["']|requirepass {1,4}["']?)([^\s"'$<{]{6,})"#,
            before: Before::NoToken,
            verdict: Verdict::Mixed,
            more: More::Token,
        }),
        yes: &[("CREATE USER x IDENTIFIED BY 'hunter22';", "hunter22")],
        no: &["IDENTIFIED BY 'password'", "requirepass foobared"],
    },
];
