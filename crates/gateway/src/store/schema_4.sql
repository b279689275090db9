-- Records that were written together, in one row: a row for each of them cost several times
-- as much as all else that is done to write it down.
CREATE TABLE audit_pack (
  -- The number of the last record in it, and of the first.
  last BIGINT PRIMARY KEY,
  first BIGINT NOT NULL,
  -- The hash and the size of everything before the first,
  behind BYTEA NOT NULL,
  below BIGINT NOT NULL,
  -- and the hash of the last. Those between follow from the records.
  hash BYTEA NOT NULL,
  entries BYTEA NOT NULL
);
