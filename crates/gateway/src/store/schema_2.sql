-- The last entry of the journal beside the database that is among the records.
ALTER TABLE audit_chain ADD COLUMN journal BIGINT NOT NULL DEFAULT 0;
