-- Answers that may be given again, each account's own. Neither a request nor its words are in here, only digests and a point.
CREATE TABLE cached_answers (
  account_id   uuid NOT NULL REFERENCES accounts,
  -- Of everything that shapes the answer.
  exact        bytea NOT NULL,
  request_id   uuid NOT NULL,
  model        text NOT NULL,
  -- `json`, not `jsonb`: every escape of an answer is kept as it is.
  answer       json NOT NULL,
  bytes        integer NOT NULL,
  -- Of everything but the last words, and those words as a point; NULL where likeness does not count.
  surroundings bytea,
  point        bytea,
  made_at      timestamptz NOT NULL,
  expires_at   timestamptz NOT NULL,
  PRIMARY KEY (account_id, exact)
);
CREATE INDEX cached_answers_by_request ON cached_answers (account_id, request_id);
CREATE INDEX cached_answers_by_surroundings ON cached_answers (account_id, surroundings, made_at DESC) WHERE surroundings IS NOT NULL;
CREATE INDEX cached_answers_by_expiry ON cached_answers (expires_at);

-- For how long a key's answers may be given again, where a request does not say otherwise.
ALTER TABLE api_keys ADD COLUMN cache_ttl_seconds integer CHECK (cache_ttl_seconds BETWEEN 1 AND 604800);
ALTER TABLE api_keys ADD COLUMN cache_similarity double precision CHECK (cache_similarity BETWEEN 0.8 AND 1);
