-- A price for input that is put into a provider's cache (NULL: as any other input). Adding a column writes no row anew:
-- versions stay append-only.
ALTER TABLE price_versions
  ADD COLUMN cache_write_per_million bigint CHECK (cache_write_per_million >= 0);

-- How much of it a request was charged for, so that every charge can be reckoned again.
ALTER TABLE requests
  ADD COLUMN cache_write_tokens bigint NOT NULL DEFAULT 0,
  ADD CHECK (cache_write_tokens >= 0 AND cached_input_tokens + cache_write_tokens <= input_tokens);
