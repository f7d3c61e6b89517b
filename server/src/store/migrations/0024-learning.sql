-- What outcomes taught. All sums forget a little with every outcome, so that a model that changed is seen to have changed.
-- Whoever writes any of it takes the next version first: its row is the lock, so that versions come to be seen in order.
CREATE TABLE learnt_version (version bigint NOT NULL);
INSERT INTO learnt_version VALUES (0);

-- Of one account, model and domain: how many outcomes, and by how much they were better than predicted.
CREATE TABLE learnt_outcomes (
  account_id uuid NOT NULL REFERENCES accounts,
  -- `provider/name`: no reference, as what is built in or found by a key counts too.
  model      text NOT NULL,
  domain     text NOT NULL,
  weight     double precision NOT NULL CHECK (weight >= 0),
  surplus    double precision NOT NULL CHECK (abs(surplus) <= weight + 0.000001),
  -- Whether others may learn from it: nobody rates their own models for everybody.
  lends      boolean NOT NULL,
  version    bigint NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, model, domain)
);
CREATE INDEX learnt_outcomes_by_version ON learnt_outcomes (version);
CREATE INDEX learnt_outcomes_by_age ON learnt_outcomes (updated_at);

-- The sum over all accounts, each of which counts with a bounded weight.
CREATE TABLE learnt_by_all (
  model    text NOT NULL,
  domain   text NOT NULL,
  accounts integer NOT NULL,
  weight   double precision NOT NULL,
  surplus  double precision NOT NULL,
  version  bigint NOT NULL,
  PRIMARY KEY (model, domain)
);
CREATE INDEX learnt_by_all_by_version ON learnt_by_all (version);

-- How long answers are: the sum of the logarithms of their tokens. An empty task or domain stands for all of them.
CREATE TABLE learnt_lengths (
  model      text NOT NULL,
  task       text NOT NULL,
  domain     text NOT NULL,
  weight     double precision NOT NULL CHECK (weight >= 0),
  log_sum    double precision NOT NULL,
  version    bigint NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (model, task, domain)
);
CREATE INDEX learnt_lengths_by_version ON learnt_lengths (version);
CREATE INDEX learnt_lengths_by_age ON learnt_lengths (updated_at);

-- What clients say of their answers. As the request itself it is kept for good.
CREATE TABLE request_feedback (
  request_id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  score      double precision NOT NULL CHECK (score BETWEEN -1 AND 1),
  comment    text,
  given_at   timestamptz NOT NULL
);

-- The outcomes that were counted, one by one, with how likely the choice was: what another way of choosing would have
-- been worth can be reckoned from them.
CREATE TABLE routing_outcomes (
  account_id        uuid NOT NULL REFERENCES accounts,
  request_id        uuid NOT NULL,
  source            text NOT NULL CHECK (source IN ('feedback', 'check', 'flaw', 'regeneration')),
  model             text NOT NULL,
  domain            text NOT NULL,
  propensity        double precision NOT NULL,
  predicted_quality double precision NOT NULL,
  outcome           double precision NOT NULL CHECK (outcome BETWEEN 0 AND 1),
  weight            double precision NOT NULL,
  noted_at          timestamptz NOT NULL,
  -- In one request several models may fail the same check.
  PRIMARY KEY (account_id, request_id, source, model)
);
CREATE INDEX routing_outcomes_by_age ON routing_outcomes (noted_at);

-- Whether an account's outcomes change what is predicted for it. NULL: as the service has it.
ALTER TABLE accounts ADD COLUMN learning text CHECK (learning IN ('on', 'frozen'));
