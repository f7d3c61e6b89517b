-- Where each key stands with its rate limit, for all instances together. It is no money: unlogged, a write waits for no
-- disk, and what a crash takes is a minute's memory. The state is reckoned by the service, which alone knows the rules.
CREATE UNLOGGED TABLE rate_windows (
  key_id     uuid PRIMARY KEY,
  -- Who writes says which version it has read, so that no lock is held while it reckons.
  version    bigint NOT NULL,
  state      json NOT NULL,
  touched_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
