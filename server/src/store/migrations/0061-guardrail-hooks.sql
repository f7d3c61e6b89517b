-- What an account has asked before a request goes to a provider, and before an answer goes to the client.
CREATE TABLE guardrail_hooks (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  url text NOT NULL,
  may_dial_private boolean NOT NULL,
  sides text[] NOT NULL CHECK (sides <@ ARRAY['input', 'output'] AND cardinality(sides) > 0),
  timeout_ms integer NOT NULL CHECK (timeout_ms BETWEEN 50 AND 30000),
  on_failure text NOT NULL CHECK (on_failure IN ('allow', 'refuse')),
  sealed_secret bytea NOT NULL,
  description text NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX guardrail_hooks_account ON guardrail_hooks (account_id);
CREATE TRIGGER guardrail_hooks_change AFTER INSERT OR UPDATE OR DELETE ON guardrail_hooks
  FOR EACH STATEMENT EXECUTE FUNCTION announce_change('keys');
