-- How much of the load a model takes among equal providers of its name; 0: only as a backup.
ALTER TABLE models ADD COLUMN weight integer NOT NULL DEFAULT 1 CHECK (weight BETWEEN 0 AND 1000);
-- In how much of the automatic requests it takes part. NULL: as its state has it.
ALTER TABLE models ADD COLUMN canary_share double precision CHECK (canary_share BETWEEN 0 AND 1);

-- Which model each session stays with. Unlogged: what a crash takes is where a prompt may still be cached, and no money.
CREATE UNLOGGED TABLE session_models (
  account_id uuid NOT NULL,
  -- A digest of the client's own word.
  session    bytea NOT NULL,
  model      text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, session)
);
CREATE INDEX session_models_by_expiry ON session_models (expires_at);
