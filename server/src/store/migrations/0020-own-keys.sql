-- What a request under an account's own key for the provider costs: versions beside those of the model's price.
ALTER TABLE price_versions ADD COLUMN own_key boolean NOT NULL DEFAULT false;

-- Keys for providers that accounts have brought along, sealed.
CREATE TABLE provider_keys (
  id         uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  provider   text NOT NULL,
  sealed_key bytea NOT NULL,
  -- Its last four characters, by which people know it again.
  hint       text NOT NULL,
  -- Whether the operator's key stands in, at the full price, where this one fails.
  fallback   boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX provider_keys_by_account ON provider_keys (account_id, id);

CREATE TRIGGER provider_keys_change AFTER INSERT OR UPDATE OR DELETE ON provider_keys FOR EACH STATEMENT EXECUTE FUNCTION announce_change('models');
