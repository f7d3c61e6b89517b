-- A service account is a key without a maker: it stays when people leave. Its secrets are short-lived.
ALTER TABLE api_keys ADD COLUMN service_account boolean NOT NULL DEFAULT false;

-- Whose tokens a service account gives secrets for: those of an issuer, for an audience, with certain claims.
CREATE TABLE workload_trusts (
  id               uuid PRIMARY KEY,
  account_id       uuid NOT NULL REFERENCES accounts,
  key_id           uuid NOT NULL REFERENCES api_keys,
  name             text NOT NULL,
  issuer           text NOT NULL,
  audience         text NOT NULL,
  -- [{"claim", "values"}]: every claim must have one of its values.
  conditions       jsonb NOT NULL,
  lifetime_seconds integer NOT NULL,
  created_at       timestamptz NOT NULL DEFAULT now(),
  last_used_at     timestamptz
);
CREATE INDEX workload_trusts_by_key ON workload_trusts (key_id);
CREATE INDEX workload_trusts_by_account ON workload_trusts (account_id);
