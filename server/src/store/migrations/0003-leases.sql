-- What an instance may spend of a key's budget without asking, and has not spent. What was spent is in `usage_quarters`;
-- the statement that adds a charge there takes it from here. `starts_at` is -infinity for a budget in total.
CREATE TABLE budget_leases (
  key_id      uuid NOT NULL REFERENCES api_keys,
  period      text NOT NULL,
  starts_at   timestamptz NOT NULL,
  instance_id uuid NOT NULL,
  amount      bigint NOT NULL CHECK (amount >= 0),
  -- When it was last leased or returned.
  touched_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (key_id, period, starts_at, instance_id)
);
CREATE INDEX budget_leases_by_instance ON budget_leases (instance_id);

-- What an account has, leased or not.
CREATE INDEX ledger_accounts_by_account ON ledger_accounts (account_id);

-- Each instance sums in rows of its own, so that no two wait for the same row; what is complete is folded into one row
-- under the zero id.
ALTER TABLE usage_quarters ADD COLUMN instance_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
ALTER TABLE usage_quarters DROP CONSTRAINT usage_quarters_pkey,
  ADD PRIMARY KEY (account_id, quarter, key_id, model, provider, task, instance_id);
CREATE INDEX usage_quarters_unfolded ON usage_quarters (instance_id, quarter)
  WHERE instance_id <> '00000000-0000-0000-0000-000000000000';

-- The one statement that charges takes both sides from the rows that it changes itself, so that checking each charge
-- against them once more is only work; in place of that, a side of the ledger can't be deleted.
ALTER TABLE ledger_transfers DROP CONSTRAINT ledger_transfers_debit_fkey, DROP CONSTRAINT ledger_transfers_credit_fkey;
CREATE TRIGGER ledger_accounts_stay BEFORE DELETE OR TRUNCATE ON ledger_accounts
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
