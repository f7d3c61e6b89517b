-- How every endpoint does, as the instance knows it that called it last: kept over restarts, and read by the others. No
-- reference to the models, as with their quarters. Moments are wall time in milliseconds since 1970, as the instances tell it.
CREATE TABLE endpoint_states (
  model_id   uuid PRIMARY KEY,
  -- What was measured, and when it was last called.
  figures    jsonb NOT NULL,
  called_ms  double precision NOT NULL,
  -- What its circuit breaker stands at, and since when.
  stand      jsonb NOT NULL,
  changed_ms double precision NOT NULL,
  -- Until when it asked to be left alone.
  paused_ms  double precision NOT NULL,
  written_at timestamptz NOT NULL
);
CREATE INDEX endpoint_states_by_writing ON endpoint_states (written_at);

-- Models whose provider refuses to serve us. A row as long as that lasts: by it the owner is told of each once.
CREATE TABLE model_outages (
  model_id uuid PRIMARY KEY,
  why      text NOT NULL CHECK (why IN ('credential', 'funds')),
  since    timestamptz NOT NULL
);

-- When an endpoint that nobody called was last tried: whoever moves it on has the next turn. At most one row.
CREATE TABLE probe_turns (
  place    smallint PRIMARY KEY CHECK (place = 1),
  taken_at timestamptz NOT NULL
);
