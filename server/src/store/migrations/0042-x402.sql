-- Payments for single requests by x402. The wallet that pays has an account of its own, without keys and members.
CREATE TABLE x402_payers (
  address    text PRIMARY KEY CHECK (address ~ '^0x[0-9a-f]{40}$'),
  account_id uuid NOT NULL UNIQUE REFERENCES accounts
);

-- One row for each signed authorisation that was accepted. Its id stands for the key of the request that it pays for:
-- `requests.key_id`. `running` until the request is over; then `ended` until it is decided whether it is settled on the
-- chain (`settling`, `settled`, or `lost` where the chain refused) or not needed (`void`). The signed transaction is here
-- before it is sent, so that a crash can't send two.
CREATE TABLE x402_payments (
  id              uuid PRIMARY KEY,
  account_id      uuid NOT NULL REFERENCES accounts,
  chain_id        bigint NOT NULL,
  asset           text NOT NULL,
  payer           text NOT NULL REFERENCES x402_payers,
  nonce           text NOT NULL,
  units           numeric(78) NOT NULL CHECK (units > 0),
  amount          bigint NOT NULL CHECK (amount > 0),
  valid_before    timestamptz NOT NULL,
  authorisation   json NOT NULL,
  instance_id     uuid NOT NULL,
  state           text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'ended', 'settling', 'settled', 'void', 'lost')),
  credit_transfer bigint NOT NULL UNIQUE REFERENCES ledger_transfers,
  void_transfer   bigint UNIQUE REFERENCES ledger_transfers,
  lost_transfer   bigint UNIQUE REFERENCES ledger_transfers,
  sender          text,
  sender_nonce    bigint,
  raw_transaction text,
  transaction     text,
  created_at      timestamptz NOT NULL DEFAULT now(),
  ended_at        timestamptz,
  closed_at       timestamptz,
  UNIQUE (chain_id, asset, payer, nonce),
  CHECK ((state IN ('settled', 'void', 'lost')) = (closed_at IS NOT NULL)),
  CHECK (state <> 'settling' OR raw_transaction IS NOT NULL)
);
CREATE INDEX x402_payments_open ON x402_payments (created_at) WHERE state IN ('running', 'ended', 'settling');
CREATE INDEX x402_payments_by_account ON x402_payments (account_id, state);
CREATE UNIQUE INDEX x402_payments_one_transaction ON x402_payments (chain_id, sender, sender_nonce) WHERE state = 'settling';

-- An authorisation that was not used gives its credits back; one that the chain refused is the operator's loss.
ALTER TABLE ledger_transfers DROP CONSTRAINT ledger_transfers_kind_check,
  ADD CONSTRAINT ledger_transfers_kind_check CHECK (kind IN (
    'grant', 'redeem', 'purchase', 'deposit', 'x402', 'x402_void', 'x402_lost', 'refund', 'dispute', 'dispute_won', 'debt',
    'debt_paid', 'lease', 'lease_return', 'charge', 'earning', 'payout_begun', 'payout_sent', 'payout_failed'));

-- A payment bounds what its request may cost, as a budget bounds a key. It is no key, so a budget's lease may be of either.
ALTER TABLE budget_leases DROP CONSTRAINT budget_leases_key_id_fkey;
