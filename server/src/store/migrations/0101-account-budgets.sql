-- What all keys and members of an account may spend together in a period.
ALTER TABLE accounts ADD COLUMN budget_limit bigint CHECK (budget_limit >= 0);
ALTER TABLE accounts ADD COLUMN budget_period text CHECK (budget_period IN ('day', 'week', 'month'));
ALTER TABLE accounts ADD CONSTRAINT accounts_whole_budget CHECK ((budget_limit IS NULL) = (budget_period IS NULL));

-- Whether those who look after the bills get alerts by e-mail, where the service can send any.
ALTER TABLE accounts ADD COLUMN alert_email boolean NOT NULL DEFAULT true;

-- What an instance may spend of an account's budget without asking, and has not spent. As `budget_leases` is for keys.
CREATE TABLE account_budget_leases (
  account_id  uuid NOT NULL REFERENCES accounts,
  period      text NOT NULL,
  starts_at   timestamptz NOT NULL,
  instance_id uuid NOT NULL,
  amount      bigint NOT NULL CHECK (amount >= 0),
  -- When it was last leased or returned.
  touched_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, period, starts_at, instance_id)
);
CREATE INDEX account_budget_leases_by_instance ON account_budget_leases (instance_id);

-- Which thresholds of an account's budget were alerted: once for each period.
CREATE TABLE account_budget_alerts (
  account_id   uuid NOT NULL REFERENCES accounts,
  period       text NOT NULL,
  period_start timestamptz NOT NULL,
  threshold    double precision NOT NULL,
  PRIMARY KEY (account_id, period, period_start, threshold)
);
CREATE INDEX account_budget_alerts_by_age ON account_budget_alerts (period_start);
