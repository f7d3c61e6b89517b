-- How many images an answer was charged for, so that every charge can be reckoned again.
-- NULL where a version wrote the record that did not keep it yet.
ALTER TABLE requests ADD COLUMN images integer;

-- Seals over the ledger. Each covers the transfers it names and the digest of the seal before it, so that a change of
-- history shows. Naming them, instead of a range of ids or of transactions, keeps a seal true whatever was still open
-- when it was made, and after the tables were restored on another server, which counts its transactions anew.
CREATE TABLE ledger_seals (
  -- Numbered without gaps by whoever seals, under a lock.
  id        bigint PRIMARY KEY,
  ids       int8multirange NOT NULL,
  transfers bigint NOT NULL,
  digest    bytea NOT NULL,
  -- Where the search for what is not sealed yet begins: the highest id covered by this seal and those before it, the
  -- transaction that sealed, and the last seal below whose highest id nothing can come any more (0: none).
  last_id   bigint NOT NULL,
  xid       xid8 NOT NULL,
  settled   bigint NOT NULL,
  sealed_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER ledger_seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_seals
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
