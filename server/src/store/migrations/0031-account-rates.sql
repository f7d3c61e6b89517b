-- What all keys of an account may send a minute together. NULL: what the service allows every account.
ALTER TABLE accounts ADD COLUMN requests_per_minute integer CHECK (requests_per_minute >= 1);
