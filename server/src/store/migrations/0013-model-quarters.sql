-- How every endpoint did, in each quarter of an hour, as all instances saw it together. No reference to the models: the
-- built-in ones count too, and one that was withdrawn keeps its past.
CREATE TABLE model_quarters (
  model_id        uuid NOT NULL,
  quarter         timestamptz NOT NULL,
  calls           bigint NOT NULL,
  -- Only those that say something about the endpoint; what a client did wrong is none.
  failures        bigint NOT NULL,
  -- Of the answers, from the call to its end.
  answered_ms     bigint NOT NULL,
  -- How many answers had a first part whose time is known, and the sum of these times.
  first_parts     bigint NOT NULL,
  first_part_ms   bigint NOT NULL,
  output_tokens   bigint NOT NULL,
  -- The tokens that came as a stream, and the time from its first part to its end: their speed.
  streamed_tokens bigint NOT NULL,
  streamed_ms     bigint NOT NULL,
  PRIMARY KEY (model_id, quarter)
);
CREATE INDEX model_quarters_by_quarter ON model_quarters (quarter);
