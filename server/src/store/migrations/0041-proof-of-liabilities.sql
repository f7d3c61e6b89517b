-- Proofs of what the service owes: the root of a Merkle tree whose nodes have the sums below them. `night` is the day of
-- UTC of a nightly one, so that there is but one; others were asked for by the operator. A proof stays for ever, with the
-- secret from which its salts are made.
CREATE TABLE liability_proofs (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  night      date UNIQUE,
  made_at    timestamptz NOT NULL DEFAULT now(),
  secret     bytea NOT NULL,
  root       bytea NOT NULL,
  total      bigint NOT NULL,
  accounts   bigint NOT NULL
);
CREATE TRIGGER liability_proofs_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON liability_proofs
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- The trees of the newest proofs: level 0 has the accounts, the last level the root.
CREATE TABLE liability_nodes (
  proof_id   bigint NOT NULL,
  level      integer NOT NULL,
  place      bigint NOT NULL,
  hash       bytea NOT NULL,
  sum        bigint NOT NULL CHECK (sum >= 0),
  account_id uuid,
  PRIMARY KEY (proof_id, level, place)
);
CREATE UNIQUE INDEX liability_nodes_by_account ON liability_nodes (account_id, proof_id) WHERE account_id IS NOT NULL;
