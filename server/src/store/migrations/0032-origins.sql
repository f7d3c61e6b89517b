-- From which sites' pages keys may be used: the account's keys, and one key. NULL for an account: any. NULL for a key: as its account says.
ALTER TABLE accounts ADD COLUMN origins text[];
ALTER TABLE api_keys ADD COLUMN origins text[];
