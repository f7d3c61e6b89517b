-- Codes that can be redeemed for credits. Only a hash is kept: 80 random bits need no slow one.
CREATE TABLE redeem_codes (
  id         uuid PRIMARY KEY,
  hash       bytea NOT NULL UNIQUE,
  hint       text NOT NULL,
  amount     bigint NOT NULL CHECK (amount > 0),
  -- By how many accounts it may be redeemed, and by how many it was.
  uses       integer NOT NULL CHECK (uses > 0),
  used       integer NOT NULL DEFAULT 0 CHECK (used BETWEEN 0 AND uses),
  note       text NOT NULL,
  expires_at timestamptz,
  stopped_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- What is redeemed comes from where grants come from, under a name of its own.
ALTER TABLE ledger_transfers DROP CONSTRAINT ledger_transfers_kind_check,
  ADD CONSTRAINT ledger_transfers_kind_check CHECK (kind IN ('grant', 'redeem', 'lease', 'lease_return', 'charge'));

-- Whatever comes in from outside, of kinds that come later too: few rows among very many.
CREATE INDEX ledger_transfers_incoming ON ledger_transfers (credit, id) WHERE kind NOT IN ('lease', 'lease_return', 'charge');

-- Once for each account and code; the constraints decide, whoever is faster.
CREATE TABLE redemptions (
  code_id     uuid NOT NULL REFERENCES redeem_codes,
  account_id  uuid NOT NULL REFERENCES accounts,
  transfer_id bigint NOT NULL UNIQUE REFERENCES ledger_transfers,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (code_id, account_id)
);
CREATE TRIGGER redemptions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON redemptions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- Whom an account's receipts are made out to.
CREATE TABLE billing_details (
  account_id uuid PRIMARY KEY REFERENCES accounts,
  company    text,
  address    text[] NOT NULL DEFAULT '{}',
  country    text,
  tax_id     text,
  email      text
);
