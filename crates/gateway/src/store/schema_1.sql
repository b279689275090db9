CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);
-- Goes up with every change of what other processes keep in memory.
CREATE TABLE revision (
  id BIGINT PRIMARY KEY,
  value BIGINT NOT NULL
);
INSERT INTO revision (id, value) VALUES (1, 0);
CREATE TABLE node (
  id TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  addr TEXT NOT NULL,
  expires_ms BIGINT NOT NULL
);
CREATE TABLE ws (
  id TEXT PRIMARY KEY,
  owner TEXT,
  osession TEXT,
  epoch BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  manifest BYTEA,
  state TEXT NOT NULL,
  config TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  updated_ms BIGINT NOT NULL
);
CREATE INDEX ws_by_owner ON ws (owner);
CREATE TABLE token (
  id TEXT PRIMARY KEY,
  hash BYTEA NOT NULL,
  kind TEXT NOT NULL,
  role TEXT NOT NULL,
  agent TEXT,
  label TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  expires_ms BIGINT,
  revoked_ms BIGINT
);
CREATE INDEX token_by_agent ON token (agent);
CREATE TABLE op (
  ws TEXT NOT NULL,
  caller TEXT NOT NULL,
  request_id TEXT NOT NULL,
  digest BYTEA NOT NULL,
  session TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'running',
  result TEXT,
  created_ms BIGINT NOT NULL,
  PRIMARY KEY (ws, caller, request_id)
);
CREATE INDEX op_by_time ON op (created_ms);
CREATE TABLE audit (
  sequence BIGINT PRIMARY KEY,
  time_ms BIGINT NOT NULL,
  caller TEXT NOT NULL,
  role TEXT NOT NULL,
  session TEXT NOT NULL,
  workspace TEXT NOT NULL,
  operation TEXT NOT NULL,
  summary TEXT NOT NULL,
  outcome TEXT NOT NULL,
  duration_us BIGINT NOT NULL,
  bytes_in BIGINT NOT NULL,
  bytes_out BIGINT NOT NULL,
  -- Bytes of all records up to this one, so that a prefix of a size is found.
  total BIGINT NOT NULL,
  hash BYTEA NOT NULL
);
CREATE INDEX audit_by_workspace ON audit (workspace, sequence);
-- The last record, and the last one that was dropped.
CREATE TABLE audit_chain (
  id BIGINT PRIMARY KEY,
  head BIGINT NOT NULL,
  head_hash BYTEA NOT NULL,
  head_total BIGINT NOT NULL,
  base BIGINT NOT NULL,
  base_hash BYTEA NOT NULL,
  base_total BIGINT NOT NULL
);
