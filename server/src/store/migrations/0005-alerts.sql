-- Where an account's days, weeks and months begin, and what it wants to be told of.
ALTER TABLE accounts ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC';
ALTER TABLE accounts ADD COLUMN low_balance bigint CHECK (low_balance > 0);
ALTER TABLE accounts ADD COLUMN budget_thresholds double precision[] NOT NULL DEFAULT '{0.8,1}';

-- Where an account wants to be told. While a secret is being rotated the old one signs as well.
CREATE TABLE webhooks (
  id                 uuid PRIMARY KEY,
  account_id         uuid NOT NULL REFERENCES accounts,
  url                text NOT NULL,
  may_dial_private   boolean NOT NULL,
  -- NULL: all, also those that come later.
  events             text[],
  description        text NOT NULL,
  enabled            boolean NOT NULL DEFAULT true,
  disabled_reason    text,
  -- Since when nothing could be delivered; NULL after a success.
  failing_since      timestamptz,
  sealed_secret      bytea NOT NULL,
  sealed_old_secret  bytea,
  old_secret_ends_at timestamptz,
  created_at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhooks_by_account ON webhooks (account_id, id DESC);

-- The outbox: one row for each webhook that an event goes to, written together with what the event tells of.
-- Whoever delivers moves `next_attempt_at` on first, so that it is taken up again if nothing more is heard of it.
CREATE TABLE webhook_deliveries (
  id              uuid PRIMARY KEY,
  webhook_id      uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  event_id        uuid NOT NULL,
  type            text NOT NULL,
  -- `text`, not `json`: it is signed, so every attempt sends the very same bytes.
  body            text NOT NULL,
  attempts        integer NOT NULL DEFAULT 0,
  last_attempt_at timestamptz,
  last_status     integer,
  last_error      text,
  -- NULL: delivered or given up.
  next_attempt_at timestamptz,
  delivered_at    timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id DESC);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);

-- What was told of a key's budget: once for each period and threshold, whoever notices it.
CREATE TABLE budget_alerts (
  key_id       uuid NOT NULL REFERENCES api_keys,
  period       text NOT NULL,
  -- A budget in total began at `-infinity`.
  period_start timestamptz NOT NULL,
  threshold    double precision NOT NULL,
  -- A budget in total has no next period: a new limit is told of anew. 0 for all others.
  total_limit  bigint NOT NULL,
  PRIMARY KEY (key_id, period, period_start, threshold, total_limit)
);
CREATE INDEX budget_alerts_by_age ON budget_alerts (period_start) WHERE period <> 'total';

-- What an account was told last of its balance. Whoever tells the next holds the row's lock.
CREATE TABLE balance_alerts (
  account_id   uuid PRIMARY KEY REFERENCES accounts,
  is_low       boolean NOT NULL DEFAULT false,
  is_exhausted boolean NOT NULL DEFAULT false
);
