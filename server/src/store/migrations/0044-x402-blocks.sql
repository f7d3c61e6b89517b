-- The chain's newest block when the payment was verified. Whether it was paid is searched for from there on.
ALTER TABLE x402_payments ADD COLUMN head_block bigint NOT NULL DEFAULT 0;
ALTER TABLE x402_payments ALTER COLUMN head_block DROP DEFAULT;
