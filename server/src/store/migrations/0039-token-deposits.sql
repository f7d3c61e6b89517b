-- Wallets that pay for an account. One wallet belongs to one account. Addresses are in lower case. `person_id` is who may log
-- in by it; without one it only pays.
CREATE TABLE wallets (
  address    text PRIMARY KEY CHECK (address ~ '^0x[0-9a-f]{40}$'),
  account_id uuid NOT NULL REFERENCES accounts,
  person_id  uuid REFERENCES people ON DELETE SET NULL,
  name       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX wallets_of_account ON wallets (account_id);
CREATE INDEX wallets_of_person ON wallets (person_id) WHERE person_id IS NOT NULL;

-- What the deposit contract is given in place of the account's id, which is nobody else's business.
CREATE TABLE deposit_references (
  account_id uuid PRIMARY KEY REFERENCES accounts,
  reference  text NOT NULL UNIQUE CHECK (reference ~ '^0x[0-9a-f]{64}$')
);

-- How far the chain was read for a token and a treasury. All blocks before `next_block` are read and were final. One instance
-- reads at a time, for as long as its lease lasts; it goes on only from the block at which it began.
CREATE TABLE token_scans (
  chain_id     bigint NOT NULL,
  contract     text NOT NULL,
  treasury     text NOT NULL,
  next_block   bigint NOT NULL,
  -- Of the block before `next_block`.
  block_hash   text,
  head_block   bigint,
  final_block  bigint,
  -- Units that came to the treasury without any Transfer event.
  unexplained  numeric(78, 0) NOT NULL DEFAULT 0,
  leased_by    uuid,
  leased_until timestamptz,
  read_at      timestamptz,
  PRIMARY KEY (chain_id, contract, treasury)
);

-- Every transfer of the token to the treasury, once its block is final. `units` is what the event announced, `received` what the
-- treasury's balance grew by; `amount` follows from `received` by the rate at that block, rounded down. `empty`: worth nothing.
-- `review`: waits for the operator, and `note` says why. `unclaimed`: no account is known for its sender.
CREATE TABLE token_deposits (
  id             uuid PRIMARY KEY,
  chain_id       bigint NOT NULL,
  tx_hash        text NOT NULL,
  log_index      integer NOT NULL,
  contract       text NOT NULL,
  treasury       text NOT NULL,
  block_number   bigint NOT NULL,
  block_hash     text NOT NULL,
  sender         text NOT NULL,
  reference      text,
  units          numeric(78, 0) NOT NULL CHECK (units >= 0),
  received       numeric(78, 0) NOT NULL CHECK (received >= 0 AND received <= units),
  token_decimals smallint NOT NULL,
  -- Credits per token.
  rate           numeric,
  amount         bigint CHECK (amount >= 0),
  state          text NOT NULL CHECK (state IN ('unclaimed', 'credited', 'empty', 'review')),
  note           text,
  account_id     uuid REFERENCES accounts,
  transfer_id    bigint UNIQUE REFERENCES ledger_transfers,
  -- Whether the operator credited it, with an amount of their own.
  by_operator    boolean NOT NULL DEFAULT false,
  created_at     timestamptz NOT NULL DEFAULT now(),
  credited_at    timestamptz,
  UNIQUE (chain_id, tx_hash, log_index),
  CHECK ((state = 'credited') = (transfer_id IS NOT NULL)),
  CHECK ((state = 'credited') = (credited_at IS NOT NULL)),
  CHECK (state <> 'credited' OR (account_id IS NOT NULL AND amount > 0)),
  CHECK (state <> 'unclaimed' OR amount > 0)
);
CREATE INDEX token_deposits_of_account ON token_deposits (account_id, id) WHERE account_id IS NOT NULL;
CREATE INDEX token_deposits_unclaimed ON token_deposits (sender) WHERE state = 'unclaimed';

-- Transfers whose blocks are not final yet. Written again with every look at the chain.
CREATE TABLE token_pending (
  chain_id     bigint NOT NULL,
  contract     text NOT NULL,
  treasury     text NOT NULL,
  tx_hash      text NOT NULL,
  log_index    integer NOT NULL,
  block_number bigint NOT NULL,
  sender       text NOT NULL,
  reference    text,
  units        numeric(78, 0) NOT NULL,
  PRIMARY KEY (chain_id, contract, treasury, tx_hash, log_index)
);
