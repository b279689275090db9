-- In which blocks of 1,024 numbers a workspace has records. An index of the records
-- themselves was written with each of them, and cost as much as the record.
CREATE TABLE audit_block (
  workspace TEXT NOT NULL,
  block BIGINT NOT NULL,
  PRIMARY KEY (workspace, block)
);
INSERT INTO audit_block (workspace, block) SELECT DISTINCT workspace, sequence / 1024 FROM audit;
-- The last record that is in a block there: a process of an older version, which may still
-- run when this is made, moves the head alone.
ALTER TABLE audit_chain ADD COLUMN listed BIGINT NOT NULL DEFAULT 0;
UPDATE audit_chain SET listed = head;
DROP INDEX audit_by_workspace;
