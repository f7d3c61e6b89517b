-- Who uses the service. One of them is the operator.
CREATE TABLE accounts (
  id            uuid PRIMARY KEY,
  name          text NOT NULL,
  provider      text NOT NULL UNIQUE,
  operator      boolean NOT NULL DEFAULT false,
  strategy      text,
  keeps_content boolean NOT NULL DEFAULT false,
  created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX accounts_one_operator ON accounts (operator) WHERE operator;

-- A key is what it may do; its secrets (one, or two while it is being rotated) are apart, as hashes only.
CREATE TABLE api_keys (
  id                  uuid PRIMARY KEY,
  account_id          uuid NOT NULL REFERENCES accounts,
  name                text NOT NULL,
  scopes              text[] NOT NULL,
  expires_at          timestamptz,
  requests_per_minute integer,
  budget_limit        bigint,
  budget_period       text,
  models              text[],
  ips                 text[],
  created_at          timestamptz NOT NULL DEFAULT now(),
  revoked_at          timestamptz,
  CHECK ((budget_limit IS NULL) = (budget_period IS NULL))
);
CREATE INDEX api_keys_by_account ON api_keys (account_id, id);

CREATE TABLE api_key_secrets (
  hash       bytea PRIMARY KEY,
  key_id     uuid NOT NULL REFERENCES api_keys,
  hint       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz
);
CREATE INDEX api_key_secrets_by_key ON api_key_secrets (key_id);

-- Models that providers registered. Built-in ones live in the code.
CREATE TABLE models (
  id                uuid PRIMARY KEY,
  account_id        uuid NOT NULL REFERENCES accounts,
  provider          text NOT NULL,
  name              text NOT NULL,
  type              text NOT NULL,
  description       text NOT NULL,
  endpoint          text NOT NULL,
  auth_type         text NOT NULL,
  sealed_credential bytea,
  may_dial_private  boolean NOT NULL,
  capabilities      text[] NOT NULL,
  specialties       text[] NOT NULL,
  avg_latency_ms    double precision,
  accuracy_score    double precision,
  cost_efficiency   text,
  streaming         boolean NOT NULL,
  context_window    integer,
  max_output_tokens integer,
  backups           text[] NOT NULL,
  limits            jsonb NOT NULL,
  state             text NOT NULL,
  -- Whether the configuration file declares it, so that a model dropped from the file goes away.
  declared          boolean NOT NULL DEFAULT false,
  created_at        timestamptz NOT NULL DEFAULT now(),
  deleted_at        timestamptz
);
CREATE UNIQUE INDEX models_one_name_per_provider ON models (provider, name) WHERE deleted_at IS NULL;

-- A price change is a new row. Requests refer to the version they were quoted.
CREATE TABLE price_versions (
  id                 bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  model_id           uuid NOT NULL REFERENCES models,
  input_per_million  bigint NOT NULL CHECK (input_per_million >= 0),
  output_per_million bigint NOT NULL CHECK (output_per_million >= 0),
  per_image          bigint NOT NULL CHECK (per_image >= 0),
  per_request        bigint NOT NULL CHECK (per_request >= 0),
  created_at         timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX price_versions_by_model ON price_versions (model_id, id DESC);

-- What providers report of their own use, beside what we counted at that moment.
CREATE TABLE provider_reports (
  id                 uuid PRIMARY KEY,
  account_id         uuid NOT NULL REFERENCES accounts,
  requests           bigint NOT NULL,
  tokens_processed   bigint NOT NULL,
  counted_requests   bigint NOT NULL,
  counted_tokens     bigint NOT NULL,
  created_at         timestamptz NOT NULL DEFAULT now()
);

-- The ledger. Accounts of four kinds; only `issued`, where credits come from, may be below zero.
-- A lease is the slice of a customer's balance that one instance may spend without asking.
CREATE TABLE ledger_accounts (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind        text NOT NULL CHECK (kind IN ('issued', 'customer', 'lease', 'revenue')),
  account_id  uuid REFERENCES accounts,
  instance_id uuid,
  balance     bigint NOT NULL DEFAULT 0,
  CHECK (kind = 'issued' OR balance >= 0)
);
CREATE UNIQUE INDEX ledger_one_issued ON ledger_accounts (kind) WHERE kind = 'issued';
CREATE UNIQUE INDEX ledger_one_customer ON ledger_accounts (account_id) WHERE kind = 'customer';
CREATE UNIQUE INDEX ledger_one_lease ON ledger_accounts (account_id, instance_id) WHERE kind = 'lease';
CREATE UNIQUE INDEX ledger_one_revenue ON ledger_accounts (instance_id) WHERE kind = 'revenue';
INSERT INTO ledger_accounts (kind) VALUES ('issued');

-- Every movement names both sides, so that debits and credits are equal by construction.
CREATE TABLE ledger_transfers (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind       text NOT NULL CHECK (kind IN ('grant', 'lease', 'lease_return', 'charge')),
  debit      bigint NOT NULL REFERENCES ledger_accounts,
  credit     bigint NOT NULL REFERENCES ledger_accounts,
  amount     bigint NOT NULL CHECK (amount > 0),
  request_id uuid,
  memo       text,
  created_at timestamptz NOT NULL DEFAULT now(),
  CHECK (debit <> credit),
  CHECK ((kind = 'charge') = (request_id IS NOT NULL))
);
CREATE UNIQUE INDEX ledger_one_charge_per_request ON ledger_transfers (request_id) WHERE request_id IS NOT NULL;

CREATE FUNCTION refuse_rewriting_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only';
END $$;
CREATE TRIGGER ledger_transfers_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transfers
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();
CREATE TRIGGER price_versions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON price_versions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- What happened to each request.
CREATE TABLE requests (
  id            uuid PRIMARY KEY,
  account_id    uuid NOT NULL,
  key_id        uuid NOT NULL,
  path          text NOT NULL,
  task          text NOT NULL,
  model         text,
  provider      text,
  status        integer NOT NULL,
  error_type    text,
  input_tokens  bigint NOT NULL,
  output_tokens bigint NOT NULL,
  usage_source  text NOT NULL,
  price_version text,
  held          bigint NOT NULL,
  cost          bigint NOT NULL,
  latency_ms    double precision NOT NULL,
  -- `json`, not `jsonb`: it is only ever read whole, and it keeps every escape a provider may send.
  detail        json NOT NULL,
  created_at    timestamptz NOT NULL,
  CHECK (cost <= held)
);
CREATE INDEX requests_by_account ON requests (account_id, id DESC);
CREATE INDEX requests_by_key ON requests (key_id, id DESC);

-- Sums of `requests` by quarter of an hour, kept in the same statement: usage stays fast and exact in any time zone.
CREATE TABLE usage_quarters (
  account_id    uuid NOT NULL,
  quarter       timestamptz NOT NULL,
  key_id        uuid NOT NULL,
  model         text NOT NULL,
  provider      text NOT NULL,
  task          text NOT NULL,
  requests      bigint NOT NULL,
  errors        bigint NOT NULL,
  input_tokens  bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cost          bigint NOT NULL,
  PRIMARY KEY (account_id, quarter, key_id, model, provider, task)
);
CREATE INDEX usage_quarters_by_key ON usage_quarters (key_id, quarter);
CREATE INDEX usage_quarters_by_provider ON usage_quarters (provider, quarter);

-- One run per idempotency key. `answer` is filled by the statement that charges for it.
CREATE TABLE idempotency_keys (
  account_id  uuid NOT NULL,
  path        text NOT NULL,
  key         text NOT NULL,
  fingerprint bytea NOT NULL,
  instance_id uuid NOT NULL,
  request_id  uuid NOT NULL,
  answer      json,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, path, key)
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

-- Running processes. Each holds an advisory lock for as long as it lives; whoever can take that lock knows it is dead.
CREATE TABLE instances (
  id         uuid PRIMARY KEY,
  lock_key   bigint GENERATED ALWAYS AS IDENTITY,
  started_at timestamptz NOT NULL DEFAULT now()
);

-- Settings of the whole service, such as the first start's marks.
CREATE TABLE settings (
  name  text PRIMARY KEY,
  value jsonb NOT NULL
);

-- What other instances keep in memory is told apart by these notices; they poll as well.
CREATE FUNCTION announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('trunkline_changes', TG_ARGV[0]);
  RETURN NULL;
END $$;
CREATE TRIGGER accounts_change AFTER INSERT OR UPDATE OR DELETE ON accounts FOR EACH STATEMENT EXECUTE FUNCTION announce_change('keys');
CREATE TRIGGER api_keys_change AFTER INSERT OR UPDATE OR DELETE ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION announce_change('keys');
CREATE TRIGGER api_key_secrets_change AFTER INSERT OR UPDATE OR DELETE ON api_key_secrets FOR EACH STATEMENT EXECUTE FUNCTION announce_change('keys');
CREATE TRIGGER models_change AFTER INSERT OR UPDATE OR DELETE ON models FOR EACH STATEMENT EXECUTE FUNCTION announce_change('models');
CREATE TRIGGER price_versions_change AFTER INSERT ON price_versions FOR EACH STATEMENT EXECUTE FUNCTION announce_change('models');
