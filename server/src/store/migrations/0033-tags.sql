-- What a client says of a request, by names of its own. NULL: nothing.
ALTER TABLE requests ADD COLUMN tags jsonb;
CREATE INDEX requests_tagged ON requests (account_id, id) WHERE tags IS NOT NULL;
