//! The rules for addresses that are secrets, or hold one.
//!
//! Examples are written in two halves where a code host's own scanner would stop a push.

use super::Rule;

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    inside!("DISCORD_WEBHOOK", ["/api/webhooks/"], Anything, Always, Nothing,
        r"^/api/webhooks/([0-9]{15,20}/[A-Za-z0-9_-]{60,80})",
        yes [(concat!("htt", "ps://discord.com/api/webhooks/123456789012345678/Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm"), concat!("123", "456789012345678/Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm"))],
        no ["https://discord.com/api/webhooks/123/abc"]),
    inside!("TEAMS_WEBHOOK", ["office.com/webhook"], Anything, Always, Nothing,
        r"^office\.com/webhook(?:b2)?/([0-9a-z-]{36}@[0-9a-z-]{36}/IncomingWebhook/[0-9a-z]{16,40}/[0-9a-zA-Z-]{16,40})",
        yes [(concat!("htt", "ps://x.webhook.office.com/webhookb2/7b3e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d@7b3e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d/IncomingWebhook/7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4d/7b3e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d"), concat!("7b3", "e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d@7b3e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d/IncomingWebhook/7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4d/7b3e5d8c-1a9f-4e2b-6c8d-3a5e9f1b7c4d"))],
        no ["https://outlook.office.com/webhook/docs"]),
    inside!("ZAPIER_WEBHOOK", ["hooks.zapier.com/hooks/"], Anything, Always, Word,
        r"^hooks\.zapier\.com/hooks/catch/([A-Za-z0-9/]{12,})",
        yes [(concat!("htt", "ps://hooks.zapier.com/hooks/catch/1234567/abcd123/x"), concat!("123", "4567/abcd123/x"))],
        no ["https://hooks.zapier.com/hooks/catch/x"]),
    inside!("WEBHOOK_URL", [".tines.com/webhook/"], Anything, Always, Word,
        r"^\.tines\.com/webhook/([0-9a-f]{32}/[0-9a-f]{32})",
        yes [(concat!("htt", "ps://a.tines.com/webhook/7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4d/7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4d"), concat!("7b3", "e5d8c1a9f4e2b6c8d3a5e9f1b7c4d/7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4d"))],
        no ["https://a.tines.com/webhook/docs"]),
    inside!("WEBHOOK_URL", ["api.netlify.com/build_hooks/", "hook.integromat.com/", "hook.eu1.make.com/", "hook.us1.make.com/", "hook.eu2.make.com/", "hook.make.com/"], Anything, Always, Word,
        r"^[a-z0-9.]+/(?:build_hooks/)?([A-Za-z0-9-]{20,})",
        yes [(concat!("htt", "ps://api.netlify.com/build_hooks/7b3e5d8c1a9f4e2b6c8d3a5e"), concat!("7b3", "e5d8c1a9f4e2b6c8d3a5e"))],
        no ["https://hook.make.com/docs"]),
    inside!("WEBHOOK_URL", ["chat.googleapis.com/v1/spaces/"], Anything, Always, Word,
        r"^chat\.googleapis\.com/v1/spaces/[A-Za-z0-9_-]{8,14}/messages\?key=[A-Za-z0-9_-]{20,60}&token=([A-Za-z0-9_%=-]{20,})",
        yes [(concat!("htt", "ps://chat.googleapis.com/v1/spaces/AAAAabcdefg/messages?key=the-key-of-the-space-itself&token=Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3YzKp4"), concat!("Kp4", "Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3YzKp4"))],
        no ["https://chat.googleapis.com/v1/spaces/AAAA"]),
    inside!("WEBHOOK_URL", ["api.render.com/deploy/"], Anything, Always, Word,
        r"^api\.render\.com/deploy/srv-[a-z0-9]{16,24}\?key=([A-Za-z0-9_-]{8,})",
        yes [(concat!("htt", "ps://api.render.com/deploy/srv-kp4qx7rm2sn5tb8vw3yz?key=Kp4Qx7Rm2Sn"), concat!("Kp4", "Qx7Rm2Sn"))],
        no ["https://api.render.com/deploy/srv-x"]),
    inside!("THINGSBOARD_TOKEN", ["thingsboard.cloud/api/v1/"], Anything, Always, Nothing,
        r"^thingsboard\.cloud/api/v1/([a-z0-9]{20})(?-u:\b)",
        yes [(concat!("htt", "ps://thingsboard.cloud/api/v1/kp4qx7rm2sn5tb8vw3yz/telemetry"), concat!("kp4", "qx7rm2sn5tb8vw3yz"))],
        no ["https://thingsboard.cloud/api/v1/x"]),
    inside!("RPC_URL_KEY", [".infura.io/", ".alchemy.com/", ".alchemyapi.io/", ".quiknode.pro/", ".ankr.com/", ".avax.network/"], Anything, Random, Word,
        r"^\.(?:infura\.io|alchemy\.com|alchemyapi\.io|quiknode\.pro|ankr\.com|avax\.network)/(?:(?:ws/)?v[0-9]/|[a-z_]{2,20}/)?([A-Za-z0-9_-]{20,})",
        yes [(concat!("htt", "ps://mainnet.infura.io/v3/7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4d"), concat!("7b3", "e5d8c1a9f4e2b6c8d3a5e9f1b7c4d"))],
        no ["https://mainnet.infura.io/v3/YOUR-PROJECT-ID"]),
    inside!("CONNECTION_STRING", ["://"], Scheme, Random, Nothing,
        r"^://([A-Za-z0-9_~-]{20,128})(?::(?:x-oauth-basic)?)?@[A-Za-z0-9_\[*{$(.-]",
        yes [(concat!("htt", "ps://7b3e5d8c1a9f4e2b6c8d3a5e9f1b7c4d@o12345.ingest.sentry.io/67890"), concat!("7b3", "e5d8c1a9f4e2b6c8d3a5e9f1b7c4d")), (concat!("git", " clone https://Kp4Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3Yz@example.com/a.git"), concat!("Kp4", "Qx7Rm2Sn5Tb8Vw3YzKp4Qx7Rm2Sn5Tb8Vw3Yz"))],
        no ["https://someone-with-a-long-name@example.com", "https://user@host"]),
];
