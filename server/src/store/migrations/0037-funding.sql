-- Credits that were paid for come from an account of the way they were paid; like `issued`, these may be below zero, and
-- what they are below zero is what came in that way. `debt` is what a customer owes after a refund or a dispute that the
-- balance did not cover, below zero until it is paid. `payable` is what is owed to a provider, `payout` what is on its way
-- to it, `paid_out` what arrived.
ALTER TABLE ledger_accounts DROP CONSTRAINT ledger_accounts_kind_check, DROP CONSTRAINT ledger_accounts_check,
  ADD CONSTRAINT ledger_accounts_kind_check CHECK (kind IN
    ('issued', 'card', 'token', 'x402', 'customer', 'lease', 'debt', 'revenue', 'payable', 'payout', 'paid_out')),
  ADD CONSTRAINT ledger_accounts_check CHECK (kind IN ('issued', 'card', 'token', 'x402', 'debt') OR balance >= 0);
CREATE UNIQUE INDEX ledger_one_of_its_kind ON ledger_accounts (kind) WHERE kind IN ('card', 'token', 'x402', 'paid_out');
CREATE UNIQUE INDEX ledger_one_debt ON ledger_accounts (account_id) WHERE kind = 'debt';
CREATE UNIQUE INDEX ledger_one_payable ON ledger_accounts (account_id) WHERE kind = 'payable';
CREATE UNIQUE INDEX ledger_one_payout ON ledger_accounts (account_id) WHERE kind = 'payout';
INSERT INTO ledger_accounts (kind) VALUES ('card'), ('token'), ('x402'), ('paid_out');

ALTER TABLE ledger_transfers DROP CONSTRAINT ledger_transfers_kind_check,
  ADD CONSTRAINT ledger_transfers_kind_check CHECK (kind IN (
    'grant', 'redeem', 'purchase', 'deposit', 'x402', 'refund', 'dispute', 'dispute_won', 'debt', 'debt_paid',
    'lease', 'lease_return', 'charge', 'earning', 'payout_begun', 'payout_sent', 'payout_failed'));
