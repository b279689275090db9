//! The rules for secrets that stand on a line below what tells of them.
//!
//! Such a secret is alone on its line: whoever shows single lines of a file looks around those.
//!
//! Examples are written in two halves where a code host's own scanner would stop a push.

use super::Rule;

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    inside!("DATABASE_PASSWORD", ["proceed to installation:"], Anything, Always, Below,
        r"^proceed to installation:\s{1,8}([0-9a-f]{32})(?-u:\b)",
        yes [(concat!("use", " the following password to proceed to installation:\n\n7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4d\n"), concat!("7b3", "e5d8c1a9f4e2b6c8d3a5e9f1b7c4d"))],
        no ["proceed to installation:\n\nthe next step"]),
    inside!("TRUENAS_KEY", ["login_with_api_key"], Anything, Always, Below,
        r#"^login_with_api_key\"\s{0,4},\s{0,16}\"params\"\s{0,4}:\s{0,4}\[\s{0,16}\"([0-9]{1,6}-[A-Za-z0-9]{64})\""#,
        yes [(concat!("\"me", "thod\": \"auth.login_with_api_key\",\n  \"params\": [\n    \"7-Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3YzKp4Q\"\n"), concat!("7-K", "p4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3YzKp4Q"))],
        no ["\"method\": \"auth.login_with_api_key\",\n  \"params\": [key]"]),
    inside!("SECRET", ["key: |", "key: >", "token: |", "token: >", "secret: |", "secret: >"], Anything, Random, NextLine,
        r"^(?i-u:key|token|secret): [|>][+-]?[ \t\r]*\n[ \t]+([!-#%-;=-z|~][!-~]{15,})",
        yes [("api_token: |\n  Kp4Qx7Rm2Sn5Tb8Vw3Yz\n", "Kp4Qx7Rm2Sn5Tb8Vw3Yz"), ("signing-key: >-\n    Kp4Qx7Rm2Sn5Tb8Vw3Yz\n", "Kp4Qx7Rm2Sn5Tb8Vw3Yz")],
        no ["token: |\n  a_text_of_some_words\n", "key: >\n  ${API_KEY_OF_1_SERVICE}"]),
    inside!("DATABASE_PASSWORD", ["password: |", "password: >"], Anything, Spoken, NextLine,
        r"^(?i-u:password): [|>][+-]?[ \t\r]*\n[ \t]+([!-#%-;=-z|~][!-~]{3,})",
        yes [("db_password: |\n  green-tractor-4508\n", "green-tractor-4508")],
        no ["password: |\n  ${PASSWORD}\n", "password: >\n  $ENC[x]"]),
    inside!("SECRET", ["key>", "token>", "secret>"], Anything, Random, NextLine,
        r"^(?i-u:key|token|secret)>[ \t\r]*\n[ \t]*([!-;=-~]{16,})[ \t\r]*\n[ \t]*</",
        yes [("<apiToken>\n  Kp4Qx7Rm2Sn5Tb8Vw3Yz\n</apiToken>", "Kp4Qx7Rm2Sn5Tb8Vw3Yz")],
        no ["<apiToken>\n  a-text-of-some-words\n</apiToken>", "Map<Key, Token>\n    for_something_else_2"]),
    inside!("SECRET", ["key =", "key:", "key=", "token =", "token:", "token=", "secret =", "secret:", "secret="], Anything, Random, NextLine,
        r#"^(?i-u:key|token|secret) ?[:=][ \t\r]*\n[ \t]*["'`]([!#%&(-_a-z|~]{16,})["'`]"#,
        yes [("const apiKey =\n  \"Kp4Qx7Rm2Sn5Tb8Vw3Yz\";", "Kp4Qx7Rm2Sn5Tb8Vw3Yz"), ("client_secret:\n    'Kp4Qx7Rm2Sn5Tb8Vw3Yz',", "Kp4Qx7Rm2Sn5Tb8Vw3Yz")],
        no ["const token =\n  \"an-ordinary-name-of-it\";", "let key =\n  `prefix-${name}-of-2`;"]),
];
