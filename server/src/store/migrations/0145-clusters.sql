-- Accounts on several clusters. The home cluster has everything that accounts share, every payment, and says where each
-- account spends. The other clusters have the same tables: there are the leases, charges, records and sums of the accounts
-- that spend or have spent there. A service with one database has no rows here.
-- Versions from schema 111 on run with it.

-- Which cluster this database is. Home has number 1.
CREATE TABLE cluster_identity (
  one_row boolean PRIMARY KEY DEFAULT true CHECK (one_row),
  number  integer NOT NULL CHECK (number >= 1),
  id      uuid NOT NULL,
  home_id uuid NOT NULL,
  -- At home: when credits were last brought to where they can be spent, and what was broken off was last mended.
  swept_at  timestamptz NOT NULL DEFAULT '-infinity',
  mended_at timestamptz NOT NULL DEFAULT '-infinity',
  CHECK ((number = 1) = (id = home_id))
);

-- On the home cluster: the others.
CREATE TABLE clusters (
  number   integer PRIMARY KEY CHECK (number > 1),
  id       uuid NOT NULL UNIQUE,
  added_at timestamptz NOT NULL DEFAULT now()
);

-- On the home cluster: where accounts spend, and where else their records are. An account without a row was always at home.
CREATE TABLE placements (
  account_id uuid PRIMARY KEY REFERENCES accounts,
  cluster    integer NOT NULL CHECK (cluster >= 1),
  past       integer[] NOT NULL,
  moved_at   timestamptz NOT NULL DEFAULT now(),
  CHECK (cluster <> ALL (past))
);
CREATE TRIGGER placements_change AFTER INSERT OR UPDATE OR DELETE ON placements
  FOR EACH STATEMENT EXECUTE FUNCTION announce_change('placements');

-- Set on a cluster where an account may not begin to spend: it has gone to another one, or is not there yet.
ALTER TABLE accounts ADD COLUMN left_at timestamptz;
CREATE INDEX accounts_left ON accounts (id) WHERE left_at IS NOT NULL;

-- Money between clusters: an `out` on one, and under the same id an `in` on the other. `transit` is what is on its way,
-- above zero where more has left than came.
CREATE TABLE cluster_transfers (
  id          uuid PRIMARY KEY,
  side        text NOT NULL CHECK (side IN ('out', 'in')),
  kind        text NOT NULL CHECK (kind IN ('customer', 'payable')),
  account_id  uuid NOT NULL REFERENCES accounts,
  amount      bigint NOT NULL CHECK (amount > 0),
  -- Where it goes, or comes from.
  other       integer NOT NULL,
  transfer_id bigint NOT NULL UNIQUE REFERENCES ledger_transfers,
  -- Of an `out`: when its `in` was seen.
  arrived_at  timestamptz,
  created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX cluster_transfers_under_way ON cluster_transfers (account_id) WHERE side = 'out' AND arrived_at IS NULL;

-- Not checked against the rows that are there: they passed a stricter check.
ALTER TABLE ledger_accounts DROP CONSTRAINT ledger_accounts_kind_check, DROP CONSTRAINT ledger_accounts_check,
  ADD CONSTRAINT ledger_accounts_kind_check CHECK (kind IN ('issued', 'card', 'token', 'x402', 'customer', 'lease', 'debt',
    'revenue', 'payable', 'payout', 'paid_out', 'transit')) NOT VALID,
  ADD CONSTRAINT ledger_accounts_check CHECK (kind IN ('issued', 'card', 'token', 'x402', 'debt', 'transit') OR balance >= 0) NOT VALID;
CREATE UNIQUE INDEX ledger_one_transit ON ledger_accounts (kind) WHERE kind = 'transit';
INSERT INTO ledger_accounts (kind) VALUES ('transit');
ALTER TABLE ledger_transfers DROP CONSTRAINT ledger_transfers_kind_check,
  ADD CONSTRAINT ledger_transfers_kind_check CHECK (kind IN (
    'grant', 'redeem', 'purchase', 'deposit', 'x402', 'x402_void', 'x402_lost', 'refund', 'dispute', 'dispute_won', 'debt', 'debt_paid',
    'lease', 'lease_return', 'charge', 'earning', 'payout_begun', 'payout_sent', 'payout_failed', 'cluster_out', 'cluster_in')) NOT VALID;
