-- Moves part of a balance to the lease of an instance in one call, which took a transaction of five: an account's first
-- request after a pause waits for it. Returns how much was moved; NULL where the instance is not registered.
-- Versions from schema 160 on run with it.
CREATE FUNCTION lease_balance(of_account uuid, to_instance uuid, need bigint, divisor bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  unleased bigint;
  moved bigint;
BEGIN
  -- The row of the instance stays until this transaction is over. Its lock always comes before those on ledger accounts.
  PERFORM 1 FROM instances WHERE id = to_instance FOR KEY SHARE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  -- Locked in a statement of its own, so that the next one sees what earlier transactions have committed.
  SELECT balance INTO unleased FROM ledger_accounts WHERE kind = 'customer' AND account_id = of_account FOR UPDATE;
  IF NOT FOUND OR unleased < need THEN RETURN 0; END IF;
  moved := greatest(unleased / divisor, need);
  IF moved <= 0 THEN RETURN 0; END IF;
  WITH taken AS (
    UPDATE ledger_accounts SET balance = balance - moved WHERE kind = 'customer' AND account_id = of_account RETURNING id
  ), lease AS (
    INSERT INTO ledger_accounts (kind, account_id, instance_id, balance) VALUES ('lease', of_account, to_instance, moved)
    ON CONFLICT (account_id, instance_id) WHERE kind = 'lease' DO UPDATE SET balance = ledger_accounts.balance + EXCLUDED.balance
    RETURNING id
  )
  INSERT INTO ledger_transfers (kind, debit, credit, amount) SELECT 'lease', taken.id, lease.id, moved FROM taken, lease;
  RETURN moved;
END $$;
