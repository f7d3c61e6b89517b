-- What an account asks of a model's quality before the model is chosen by its cost. NULL: what the service asks.
ALTER TABLE accounts
  ADD COLUMN min_quality double precision CHECK (min_quality >= 0 AND min_quality <= 1);
