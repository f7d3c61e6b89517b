-- What is claimed of what a model's provider does with the data of requests (regions, retention_days, source, documented);
-- nothing is claimed where it is null.
ALTER TABLE models ADD COLUMN data_claim jsonb;

-- What may become of the data of an account's or a key's requests (regions, retention_days): it bounds routing.
ALTER TABLE accounts ADD COLUMN data_rules jsonb;
ALTER TABLE api_keys ADD COLUMN data_rules jsonb;
