-- The log of requests, searched for what went wrong: the few that did are found without reading the many that did not.
CREATE INDEX requests_failed ON requests (account_id, id DESC) WHERE status >= 400;

-- How long answers took, over ranges with more requests than anyone wants to sort: every sixteenth request, drawn by the
-- random end of its id, with all that is asked of it. Fifteen of sixteen writes pass it by.
CREATE INDEX requests_sampled ON requests (account_id, id) INCLUDE (created_at, status, latency_ms, key_id, model, provider, task)
  WHERE (get_byte(uuid_send(id), 15) & 15) = 0;
