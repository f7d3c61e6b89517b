-- A payout in the token: the signed transaction is here before it is sent, so that a crash sends the same one again.
ALTER TABLE payouts
  ADD COLUMN chain_id bigint,
  ADD COLUMN units numeric(78),
  ADD COLUMN sender text,
  ADD COLUMN sender_nonce bigint,
  ADD COLUMN raw_transaction text,
  ADD COLUMN transaction text,
  ADD CONSTRAINT payouts_signed CHECK (state <> 'sending' OR (raw_transaction IS NOT NULL AND transaction IS NOT NULL));
CREATE UNIQUE INDEX payouts_one_transaction ON payouts (chain_id, sender, sender_nonce) WHERE sender_nonce IS NOT NULL;
