-- How often strangers knock: one row per door and network address, e-mail address or browser, each by a hash. A tally is
-- the moment at which everything that was counted is forgotten; each knock moves it on. It outlives restarts, so that
-- nobody gains tries by crashing the service.
CREATE TABLE door_tallies (
  key          bytea PRIMARY KEY,
  forgotten_at timestamptz NOT NULL
);
CREATE INDEX door_tallies_by_end ON door_tallies (forgotten_at);
