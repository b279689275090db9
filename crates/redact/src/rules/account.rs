//! The rules for what signs in together with a secret: the half of a pair that names its owner.
//!
//! Examples are written in two halves where a code host's own scanner would stop a push.

use super::Rule;

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    inside!("MONGODB_KEY", ["mongodb"], NoAlphanumeric, Spoken, Nothing,
        r#"^(?i-u:mongodb(?:[_-]?atlas)?[_-]?public(?:[_-]?api)?(?:[_-]?key)?)[\"']?\s{0,4}[:=]\s{0,4}[\"']?([a-z]{8}|[A-Za-z]{0,8}[0-9][A-Za-z0-9]{1,9})(?-u:\b)"#,
        yes [(concat!("mon", "godb_public_key: \"kpqxrmsn\""), concat!("kpq", "xrmsn"))],
        no ["mongodb-public: true", "mongodb_public_key = ${KEY}"]),
    inside!("SERVICE_KEY", ["mailjet", "braintree"], NoAlphanumeric, Random, Nothing,
        r#"^(?i-u:mailjet|braintree)(?i-u:[_-]?(?:api|key|public)){1,4}[\"']?\s{0,4}[:=]\s{0,4}[\"']?([A-Za-z0-9_]{16,64})(?-u:\b)"#,
        yes [(concat!("MAI", "LJET_API_KEY_PUBLIC=7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4d"), concat!("7b3", "e5d8c1a9f4e2b6c8d3a5e9f1b7c4d"))],
        no ["braintree_public_key=your_public_key", "mailjet_public: true"]),
    inside!("VAULT_ROLE", ["vault_role_id", "vault_roleid"], NoAlphanumeric, Always, Nothing,
        r#"^(?i-u:vault_role_?id)[\"']?\s{0,4}[:=]\s{0,4}[\"']?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?-u:\b)"#,
        yes [(concat!("VAU", "LT_ROLE_ID=7b3e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d"), concat!("7b3", "e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d"))],
        no ["vault_role_id = var.role_id"]),
    inside!("DISCORD_BOT", ["bot_id", "botid", "bot-id"], NoAlphanumeric, Always, Nothing,
        r#"^(?i-u:bot[_-]?id)[\"']?\s{0,4}[:=]\s{0,4}[\"']?([0-9]{17,19})(?-u:\b)"#,
        yes [(concat!("bot", "_id = \"482910573829104756\""), concat!("482", "910573829104756"))],
        no ["bot_id: 1234567890", "bot_id: string"]),
    inside!("GOOGLE_SERVICE_ACCOUNT", ["client_id"], NoToken, Always, Nothing,
        r#"^client_id\"\s{0,4}:\s{0,4}\"([0-9]{21})\""#,
        yes [(concat!("\"cl", "ient_id\": \"109283746501928374650\","), concat!("109", "283746501928374650"))],
        no ["\"client_id\": \"1092837465\"", "client_id: 109283746501928374650"]),
    inside!("COINBASE_KEY", ["/apikeys/"], Anything, Always, Nothing,
        r"^/(?i-u:apikeys)/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?-u:\b)",
        yes [(concat!("org", "anizations/x/apiKeys/7b3e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d"), concat!("7b3", "e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d"))],
        no ["/apiKeys/list", "GET /v1/apiKeys/{id}"]),
    prefixed!("OKTA_CLIENT", ["0oa"], NoToken, Nothing,
        r"^0oa[0-9A-Za-z]{17}(?-u:\b)",
        yes concat!("0oa", "4kp4qx7rm2sn5tb8v"),
        no ["0oa", "0oa4kp4qx7rm2sn5tb8v0oa4kp4qx7rm2sn5tb8v"]),
    inside!("OXYLABS_PASSWORD", ["customer-"], NoToken, Random, Nothing,
        r"^customer-[A-Za-z0-9_]{3,40}(?:-[a-z0-9-]{2,60})?:([A-Za-z0-9_+=~]{8,64})(?-u:\b)",
        yes [(concat!("cus", "tomer-acme:Kp4Qx7Rm2Sn5Tb"), concat!("Kp4", "Qx7Rm2Sn5Tb"))],
        no ["customer-service: open", "customer-id:identifier"]),
];
