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
];
