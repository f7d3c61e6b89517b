-- Prices for input out of a provider's cache (NULL: as any other input) and for a second of audio, made or heard.
-- Adding columns writes no row anew: versions stay append-only.
ALTER TABLE price_versions
  ADD COLUMN cached_input_per_million bigint CHECK (cached_input_per_million >= 0),
  ADD COLUMN per_second bigint NOT NULL DEFAULT 0 CHECK (per_second >= 0);

-- What of both a request was charged for, so that every charge can be reckoned again.
ALTER TABLE requests
  ADD COLUMN cached_input_tokens bigint NOT NULL DEFAULT 0,
  ADD COLUMN audio_ms bigint NOT NULL DEFAULT 0,
  ADD CHECK (cached_input_tokens BETWEEN 0 AND input_tokens AND audio_ms >= 0);
