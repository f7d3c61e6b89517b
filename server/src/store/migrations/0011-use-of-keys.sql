-- What was done with one key is read off its days that are over, out of the index alone, however long its account's
-- history is.
CREATE INDEX usage_days_by_key ON usage_days (key_id, day) INCLUDE (requests, cost);
