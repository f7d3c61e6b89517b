-- Accounts that ask the operator for credits. An account has at most one open request.
CREATE TABLE credit_requests (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES accounts,
  -- Who asked; NULL: a key, or a person whose data was erased.
  person_id    uuid REFERENCES people ON DELETE SET NULL,
  message      text NOT NULL,
  state        text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'granted', 'declined', 'withdrawn')),
  -- What was granted.
  amount       bigint CHECK (amount > 0),
  -- What the operator wrote.
  reply        text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  decided_at   timestamptz,
  CHECK ((state = 'granted') = (amount IS NOT NULL)),
  CHECK ((state = 'open') = (decided_at IS NULL))
);
CREATE UNIQUE INDEX credit_requests_open ON credit_requests (account_id) WHERE state = 'open';
CREATE INDEX credit_requests_by_account ON credit_requests (account_id, id DESC);
-- Versions from schema 86 on run with it.
