-- A charge changes two balances, and so wrote all indexes of both rows again, as this index looks at balances. The accounts
-- that owe something are found among those with a row for debts, which are few.
-- Versions from schema 160 on run with it.
DROP INDEX ledger_debts_open;
