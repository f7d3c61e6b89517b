-- Where an account has its requests logged beside us. `sealed_secret` is what the kind needs: headers as JSON (otlp), a signing
-- secret (http), or a secret access key (s3).
CREATE TABLE log_sinks (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('otlp', 'http', 's3')),
  url text NOT NULL,
  region text,
  access_key_id text,
  sealed_secret bytea NOT NULL,
  may_dial_private boolean NOT NULL,
  with_content boolean NOT NULL,
  share double precision NOT NULL CHECK (share > 0 AND share <= 1),
  description text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  last_error text,
  last_error_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX log_sinks_account ON log_sinks (account_id);
-- Callers know whether their account has any. A failure that is noted down changes nothing that they know.
CREATE TRIGGER log_sinks_change AFTER INSERT OR DELETE OR UPDATE OF url, enabled, sealed_secret, with_content, share, region, access_key_id
  ON log_sinks FOR EACH STATEMENT EXECUTE FUNCTION announce_change('keys');
