-- Records of requests that have left the database. Ids have the time of arrival: every request with an id below `first_kept` is
-- archived, or will be in a moment. Charges stay in the ledger, under its seals.
CREATE TABLE request_horizon (
  one_row    boolean PRIMARY KEY DEFAULT true CHECK (one_row),
  first_kept uuid NOT NULL
);
INSERT INTO request_horizon (first_kept) VALUES ('00000000-0000-0000-0000-000000000000');

-- One row for each file. `chain` covers the digest of its content and the chain before it, so that a changed, swapped or
-- missing file shows, as does a changed row here.
CREATE TABLE request_archives (
  -- Numbered without gaps, under a lock.
  id       bigint PRIMARY KEY,
  -- Below the archive's folder; NULL: the records were deleted, and only their digest is kept.
  file     text,
  first_id uuid NOT NULL,
  last_id  uuid NOT NULL,
  requests bigint NOT NULL,
  -- How many of them were charged, and what they cost together.
  charged  bigint NOT NULL,
  cost     bigint NOT NULL,
  -- Of the content before it was compressed.
  bytes    bigint NOT NULL,
  sha256   bytea NOT NULL,
  chain    bytea NOT NULL,
  made_at  timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER request_archives_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON request_archives
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- What an audit has found sound: all transfers up to an id, which the seals up to `seal` cover, and the balances that they make.
-- The next audit may begin there.
CREATE TABLE ledger_checkpoints (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  seal          bigint NOT NULL,
  seal_digest   bytea NOT NULL,
  last_transfer bigint NOT NULL,
  audited_at    timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE ledger_checkpoint_balances (
  checkpoint bigint NOT NULL,
  account    bigint NOT NULL,
  balance    bigint NOT NULL,
  PRIMARY KEY (checkpoint, account)
);

-- Everything but what requests move, a small part of the ledger: audits read it whole.
CREATE INDEX ledger_transfers_beside_requests ON ledger_transfers (kind, id) WHERE kind NOT IN ('charge', 'lease', 'lease_return');

-- Large tables are vacuumed after a share of their rows by default, which is millions here. Rows that change with every
-- batch of charges get room beside them, so that the change needs no new index entries.
ALTER TABLE requests SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.01);
ALTER TABLE ledger_transfers SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.01);
ALTER TABLE ledger_accounts SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200);
ALTER TABLE usage_quarters SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
