-- How much cost, speed and quality weigh for an account whose strategy is hybrid. NULL: as the service weighs them.
ALTER TABLE accounts
  ADD COLUMN weight_cost    double precision,
  ADD COLUMN weight_speed   double precision,
  ADD COLUMN weight_quality double precision,
  ADD CHECK (num_nulls(weight_cost, weight_speed, weight_quality) IN (0, 3)),
  ADD CHECK (weight_cost >= 0 AND weight_speed >= 0 AND weight_quality >= 0
    AND abs(weight_cost + weight_speed + weight_quality - 1) < 0.001);

-- What the last conformance check of a model saw. `json`, as with the details of a request: it is only ever read whole,
-- and the findings quote what an endpoint has sent.
CREATE TABLE model_checks (
  model_id   uuid PRIMARY KEY REFERENCES models,
  passed     boolean NOT NULL,
  findings   json NOT NULL,
  checked_at timestamptz NOT NULL
);

-- How long the answered requests took together, so that providers see how fast their models were. NULL: from before
-- this was summed, and left out of every average.
ALTER TABLE usage_quarters ADD COLUMN latency_ms double precision;
