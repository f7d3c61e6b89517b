-- What each model did for a request that several made, one after the other. Only those are here that have more than one
-- leg; their row in `requests` has the sums, and 'legs' in place of a price's version. No reference to the requests, as
-- these have none either: the audit finds what does not fit.
CREATE TABLE request_legs (
  request_id          uuid NOT NULL,
  leg                 integer NOT NULL CHECK (leg >= 1),
  provider            text NOT NULL,
  model               text NOT NULL,
  price_version       text NOT NULL,
  discount            integer NOT NULL CHECK (discount BETWEEN 0 AND 9000),
  input_tokens        bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  cache_write_tokens  bigint NOT NULL,
  output_tokens       bigint NOT NULL,
  images              integer NOT NULL,
  audio_ms            bigint NOT NULL,
  usage_source        text NOT NULL,
  cost                bigint NOT NULL CHECK (cost >= 0),
  outcome             text NOT NULL,
  PRIMARY KEY (request_id, leg),
  CHECK (cached_input_tokens >= 0 AND cache_write_tokens >= 0 AND cached_input_tokens + cache_write_tokens <= input_tokens)
);
