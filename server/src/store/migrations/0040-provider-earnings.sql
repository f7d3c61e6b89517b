-- What a provider agreed to: the service's fee in millionths of what clients paid (NULL: the service's usual one), and
-- where its earnings are paid to.
CREATE TABLE provider_terms (
  account_id             uuid PRIMARY KEY REFERENCES accounts,
  fee_ppm                integer CHECK (fee_ppm BETWEEN 0 AND 1000000),
  payout_method          text CHECK (payout_method IN ('bank', 'token')),
  payout_destination     text,
  destination_changed_at timestamptz,
  CHECK ((payout_method IS NULL) = (payout_destination IS NULL))
);

-- What each charge, or each leg of a charged request, earned the provider of its model: `gross` is what the client paid,
-- `net` what the provider gets, and the rest stays in the revenue. `leg` is 0 where the request has but one. All earnings
-- of a seal, an instance and a provider are one transfer.
CREATE TABLE provider_earnings (
  request_id  uuid NOT NULL,
  leg         integer NOT NULL CHECK (leg >= 0),
  account_id  uuid NOT NULL REFERENCES accounts,
  provider    text NOT NULL,
  model       text NOT NULL,
  gross       bigint NOT NULL CHECK (gross > 0),
  fee_ppm     integer NOT NULL,
  net         bigint NOT NULL CHECK (net BETWEEN 0 AND gross),
  -- NULL where the fee takes all of it.
  transfer_id bigint REFERENCES ledger_transfers,
  earned_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (request_id, leg),
  CHECK ((net = 0) = (transfer_id IS NULL))
);
CREATE INDEX provider_earnings_by_account ON provider_earnings (account_id, earned_at);
CREATE INDEX provider_earnings_by_transfer ON provider_earnings (transfer_id);
CREATE TRIGGER provider_earnings_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON provider_earnings
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- Every transfer is under exactly one seal, and seals follow one another without a gap: charges are read seal by seal, so
-- that none is missed or read twice. Charges under seals that were there before earn nothing.
CREATE TABLE earnings_progress (
  one_row      boolean PRIMARY KEY DEFAULT true CHECK (one_row),
  before_seal  bigint NOT NULL,
  last_seal    bigint NOT NULL
);
INSERT INTO earnings_progress (before_seal, last_seal)
SELECT coalesce(max(id), 0), coalesce(max(id), 0) FROM ledger_seals;

-- A payout takes its amount from what is owed when it is requested, and ends as sent or failed, once.
CREATE TABLE payouts (
  id               uuid PRIMARY KEY,
  account_id       uuid NOT NULL REFERENCES accounts,
  amount           bigint NOT NULL CHECK (amount > 0),
  method           text NOT NULL CHECK (method IN ('bank', 'token')),
  destination      text NOT NULL,
  state            text NOT NULL DEFAULT 'requested' CHECK (state IN ('requested', 'approved', 'sending', 'sent', 'failed')),
  -- The bank's reference or the transaction's hash of a sent one, the reason of a failed one.
  reference        text,
  begun_transfer   bigint NOT NULL UNIQUE REFERENCES ledger_transfers,
  ended_transfer   bigint UNIQUE REFERENCES ledger_transfers,
  created_at       timestamptz NOT NULL DEFAULT now(),
  approved_at      timestamptz,
  ended_at         timestamptz,
  CHECK ((state IN ('sent', 'failed')) = (ended_transfer IS NOT NULL)),
  CHECK ((ended_transfer IS NULL) = (ended_at IS NULL))
);
CREATE UNIQUE INDEX payouts_one_open ON payouts (account_id) WHERE state IN ('requested', 'approved', 'sending');
CREATE UNIQUE INDEX payouts_one_reference ON payouts (reference) WHERE state = 'sent';
CREATE INDEX payouts_by_account ON payouts (account_id, id DESC);
