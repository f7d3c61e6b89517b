-- What accounts and keys say of safety, laid over what the service says. NULL: nothing.
ALTER TABLE accounts ADD COLUMN safety jsonb;
ALTER TABLE api_keys ADD COLUMN safety jsonb;
