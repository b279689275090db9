//! Every SQL statement, in words that SQLite and PostgreSQL both take.
//!
//! Parameters are `$1`, `$2`, …, which PostgreSQL counts by their number and SQLite
//! by where they first appear; so they first appear in the order of their numbers,
//! and a test holds every statement to that. `now_ms()` is the one function that
//! neither has: a connection of SQLite is given it, PostgreSQL would have it made.

macro_rules! statements {
    ($($(#[$comment:meta])* $name:ident = $text:expr;)*) => {
        $($(#[$comment])* pub(crate) const $name: &str = $text;)*

        /// Every statement with its name.
        #[cfg(test)]
        pub(crate) const ALL: &[(&str, &str)] = &[$((stringify!($name), $name),)*];
    };
}

/// What brings an empty database to the present form, a step for each version.
///
/// A step is never changed once it was released; the next one is added below it.
pub(crate) const MIGRATIONS: &[&str] = &[
    include_str!("schema_1.sql"),
    include_str!("schema_2.sql"),
    include_str!("schema_3.sql"),
    include_str!("schema_4.sql"),
];

/// Tells whether a lease is live: the node's own session, not expired.
macro_rules! live_lease {
    ($node:literal, $session:literal) => {
        concat!(
            "SELECT 1 FROM node WHERE node.id = ",
            $node,
            " AND node.session = ",
            $session,
            " AND node.expires_ms > now_ms()"
        )
    };
}

statements! {
    META_GET = "SELECT value FROM meta WHERE name = $1";
    META_SET = "INSERT INTO meta (name, value) VALUES ($1, $2) \
                ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    REVISION_GET = "SELECT value FROM revision WHERE id = 1";
    REVISION_BUMP = "UPDATE revision SET value = value + 1 WHERE id = 1";

    /// A new session of a node; what it owned in the last one can be taken over.
    NODE_JOIN = "INSERT INTO node (id, session, addr, expires_ms) VALUES ($1, $2, $3, now_ms() + $4) \
                 ON CONFLICT (id) DO UPDATE SET session = excluded.session, addr = excluded.addr, \
                 expires_ms = excluded.expires_ms";
    NODE_RENEW = "UPDATE node SET expires_ms = now_ms() + $1 WHERE id = $2 AND session = $3";
    NODE_LEAVE = "UPDATE node SET expires_ms = 0 WHERE id = $1 AND session = $2";

    /// A deleted agent's row stays, so that its epoch never goes back.
    WS_CREATE = "INSERT INTO ws (id, epoch, seq, state, config, created_ms, updated_ms) \
                 VALUES ($1, 0, 0, 'active', $2, now_ms(), now_ms()) \
                 ON CONFLICT (id) DO UPDATE SET owner = NULL, osession = NULL, epoch = ws.epoch + 1, \
                 seq = 0, manifest = NULL, state = 'active', config = excluded.config, \
                 created_ms = excluded.created_ms, updated_ms = excluded.updated_ms \
                 WHERE ws.state = 'deleted'";
    WS_GET = "SELECT id, state, config, epoch, seq, created_ms, updated_ms FROM ws \
              WHERE id = $1 AND state <> 'deleted'";
    WS_LIST = "SELECT id, state, config, epoch, seq, created_ms, updated_ms FROM ws \
               WHERE id > $1 AND state <> 'deleted' ORDER BY id LIMIT $2";
    WS_CONFIGURE = "UPDATE ws SET config = $1, updated_ms = now_ms() \
                    WHERE id = $2 AND state <> 'deleted'";
    WS_STATE = "UPDATE ws SET state = $1, updated_ms = now_ms() \
                WHERE id = $2 AND state <> 'deleted'";
    /// Nobody owns it any more, and whoever did is fenced by the epoch.
    WS_DELETE = "UPDATE ws SET state = 'deleted', owner = NULL, osession = NULL, \
                 epoch = epoch + 1, updated_ms = now_ms() WHERE id = $1 AND state <> 'deleted'";
    /// Takes a workspace that nobody owns whose lease is live, or that is one's own.
    WS_ACQUIRE = concat!(
        "UPDATE ws SET owner = $1, osession = $2, epoch = epoch + 1 \
         WHERE id = $3 AND state = 'active' \
         AND (owner IS NULL OR (owner = $1 AND osession = $2) OR NOT EXISTS (",
        live_lease!("ws.owner", "ws.osession"),
        ")) AND EXISTS (",
        live_lease!("$1", "$2"),
        ") RETURNING epoch, seq, manifest"
    );
    /// The fence: owner, session, epoch and sequence are compared where it is written.
    WS_COMMIT = concat!(
        "UPDATE ws SET seq = $1, manifest = $2, updated_ms = now_ms() \
         WHERE id = $3 AND owner = $4 AND osession = $5 AND epoch = $6 AND seq = $1 - 1 \
         AND EXISTS (",
        live_lease!("$4", "$5"),
        ")"
    );
    WS_RELEASE = "UPDATE ws SET owner = NULL, osession = NULL \
                  WHERE id = $1 AND owner = $2 AND osession = $3 AND epoch = $4";

    TOKEN_CREATE = "INSERT INTO token (id, hash, kind, role, agent, label, created_ms, expires_ms) \
                    VALUES ($1, $2, $3, $4, $5, $6, now_ms(), $7)";
    TOKEN_GET = "SELECT id, hash, kind, role, agent, label, created_ms, expires_ms, revoked_ms \
                 FROM token WHERE id = $1";
    TOKEN_LIST = "SELECT id, hash, kind, role, agent, label, created_ms, expires_ms, revoked_ms \
                  FROM token WHERE id > $1 AND kind <> 'ticket' ORDER BY id LIMIT $2";
    TOKEN_REVOKE = "UPDATE token SET revoked_ms = now_ms() WHERE id = $1 AND revoked_ms IS NULL";
    TOKEN_REVOKE_AGENT = "UPDATE token SET revoked_ms = now_ms() \
                          WHERE agent = $1 AND revoked_ms IS NULL";
    /// A ticket is gone once it was taken, so a second taker finds none.
    TICKET_TAKE = "DELETE FROM token WHERE id = $1 AND hash = $2 AND kind = 'ticket' \
                   AND expires_ms > now_ms() AND revoked_ms IS NULL RETURNING label";
    TOKEN_SWEEP = "DELETE FROM token WHERE kind <> 'token' AND expires_ms < now_ms() - $1";

    OP_CLAIM = "INSERT INTO op (ws, caller, request_id, digest, session, created_ms) \
                VALUES ($1, $2, $3, $4, $5, now_ms()) ON CONFLICT (ws, caller, request_id) DO NOTHING";
    OP_GET = "SELECT digest, session, state, result FROM op \
              WHERE ws = $1 AND caller = $2 AND request_id = $3";
    OP_SETTLE = "UPDATE op SET state = 'done', result = $1 \
                 WHERE ws = $2 AND caller = $3 AND request_id = $4 AND session = $5";
    OP_SWEEP = "DELETE FROM op WHERE created_ms < now_ms() - $1";

    /// Also takes the row's lock where the database has such, until the transaction ends.
    AUDIT_HEAD = "UPDATE audit_chain SET head = head WHERE id = 1 \
                  RETURNING head, head_hash, head_total, base, listed";
    AUDIT_MOVE_HEAD = "UPDATE audit_chain SET head = $1, listed = $1, head_hash = $2, head_total = $3 \
                       WHERE id = 1";
    AUDIT_MOVE_BASE = "UPDATE audit_chain SET base = $1, base_hash = $2, base_total = $3 WHERE id = 1";
    /// The last entry of the journal that is among the records.
    JOURNAL_TAKEN = "UPDATE audit_chain SET journal = $1 WHERE id = 1";
    JOURNAL_GET = "SELECT journal FROM audit_chain WHERE id = 1";
    AUDIT_CHAIN = "SELECT head, head_hash, head_total, base, base_hash, base_total \
                   FROM audit_chain WHERE id = 1";
    AUDIT_APPEND = "INSERT INTO audit (sequence, time_ms, caller, role, session, workspace, operation, \
                    summary, outcome, duration_us, bytes_in, bytes_out, total, hash) \
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    AUDIT_AFTER = "SELECT sequence, time_ms, caller, role, session, workspace, operation, summary, \
                   outcome, duration_us, bytes_in, bytes_out, hash \
                   FROM audit WHERE sequence > $1 ORDER BY sequence LIMIT $2";
    AUDIT_PLACE = "SELECT time_ms, total, hash FROM audit WHERE sequence = $1";
    AUDIT_DROP = "DELETE FROM audit WHERE sequence <= $1";

    PACK_APPEND = "INSERT INTO audit_pack (last, first, behind, below, hash, entries) \
                   VALUES ($1, $2, $3, $4, $5, $6)";
    PACK_AFTER = "SELECT last, first, behind, below, hash, entries FROM audit_pack \
                  WHERE last > $1 ORDER BY last LIMIT $2";
    /// Of a pack that may lie across an end, both numbers are looked at.
    PACK_NEWEST = "SELECT last, first, behind, below, hash, entries FROM audit_pack \
                   WHERE last >= $1 AND last < $2 AND first < $3 ORDER BY last DESC";
    PACK_DROP = "DELETE FROM audit_pack WHERE last <= $1";
    PACK_TRIM = "UPDATE audit_pack SET first = $1, behind = $2, below = $3, entries = $4 WHERE last = $5";

    BLOCK_ADD = "INSERT INTO audit_block (workspace, block) VALUES ($1, $2) \
                 ON CONFLICT (workspace, block) DO NOTHING";
    BLOCK_FILL = "INSERT INTO audit_block (workspace, block) \
                  SELECT DISTINCT workspace, sequence / 1024 FROM audit WHERE sequence > $1 \
                  ON CONFLICT (workspace, block) DO NOTHING";
    BLOCK_REMOVE = "DELETE FROM audit_block WHERE workspace = $1 AND block = $2";
    /// Of the block of a number, what is behind it.
    BLOCK_KEEP = "INSERT INTO audit_block (workspace, block) \
                  SELECT DISTINCT workspace, sequence / 1024 FROM audit \
                  WHERE sequence > $1 AND sequence < ($1 / 1024 + 1) * 1024 \
                  ON CONFLICT (workspace, block) DO NOTHING";
    BLOCK_HAS = "SELECT 1 FROM audit_block WHERE workspace = $1 AND block = $2";
    BLOCK_LIST = "SELECT block FROM audit_block WHERE workspace = $1 AND block <= $2 ORDER BY block DESC";
    BLOCK_LISTED = "SELECT listed FROM audit_chain WHERE id = 1";
    /// Before the records go: of the last block some may stay.
    BLOCK_DROP = "DELETE FROM audit_block WHERE (workspace, block) IN (\
                  SELECT workspace, block FROM (\
                  SELECT workspace, sequence / 1024 AS block FROM audit WHERE sequence <= $1 EXCEPT \
                  SELECT workspace, sequence / 1024 FROM audit \
                  WHERE sequence > $1 AND sequence < ($1 / 1024 + 1) * 1024) AS gone)";
}

/// The records of a page, newest first, before its conditions.
pub(crate) const AUDIT_PAGE: &str = "SELECT sequence, time_ms, caller, role, session, workspace, operation, summary, outcome, \
     duration_us, bytes_in, bytes_out, hash FROM audit";

#[cfg(test)]
mod tests;
