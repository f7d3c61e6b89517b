-- Files: what batches are made of, and by whose ids their results are read.
CREATE TABLE files (
  id         uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts,
  name       text NOT NULL,
  purpose    text NOT NULL CHECK (purpose IN ('batch', 'batch_output')),
  -- NULL for results: those are the lines of their batch.
  content    bytea,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX files_by_account ON files (account_id, id DESC);
CREATE INDEX files_by_expiry ON files (expires_at);

CREATE TABLE batches (
  id             uuid PRIMARY KEY,
  account_id     uuid NOT NULL REFERENCES accounts,
  -- In whose name, and as if from which address, its lines go down the line.
  key_id         uuid NOT NULL REFERENCES api_keys,
  address        text NOT NULL,
  endpoint       text NOT NULL,
  input_file_id  uuid NOT NULL,
  output_file_id uuid NOT NULL,
  error_file_id  uuid NOT NULL,
  metadata       json,
  status         text NOT NULL CHECK (status IN
    ('validating', 'in_progress', 'finalizing', 'completed', 'failed', 'expired', 'cancelling', 'cancelled')),
  errors         json,
  total          integer NOT NULL DEFAULT 0,
  -- Known once it is over; until then they are counted.
  completed      integer,
  failed         integer,
  created_at     timestamptz NOT NULL,
  expires_at     timestamptz NOT NULL,
  in_progress_at timestamptz,
  finalizing_at  timestamptz,
  completed_at   timestamptz,
  failed_at      timestamptz,
  expired_at     timestamptz,
  cancelling_at  timestamptz,
  cancelled_at   timestamptz,
  -- Which instance works on it, and until when unless it says so again.
  lease_by       uuid,
  lease_until    timestamptz,
  -- Nothing of it can be done before: all that is left waits for money or for its rate.
  not_before     timestamptz NOT NULL DEFAULT '-infinity',
  -- How often it was left in a row without anything done: each time it waits for longer.
  pauses         integer NOT NULL DEFAULT 0
);
CREATE INDEX batches_by_account ON batches (account_id, id DESC);
CREATE INDEX batches_to_do ON batches (id) WHERE status IN ('validating', 'in_progress', 'finalizing', 'cancelling');

CREATE TABLE batch_lines (
  batch_id  uuid NOT NULL REFERENCES batches ON DELETE CASCADE,
  line      integer NOT NULL,
  custom_id text NOT NULL,
  -- NULL once it is done: nobody needs the question any more.
  body      text,
  -- NULL until it is done.
  failed    boolean,
  result    text,
  PRIMARY KEY (batch_id, line)
);
CREATE INDEX batch_lines_done ON batch_lines (batch_id, failed) WHERE failed IS NOT NULL;

-- What a provider takes off its price for work that may wait, in ten-thousandths, and what was taken off.
ALTER TABLE models ADD COLUMN batch_discount integer NOT NULL DEFAULT 0 CHECK (batch_discount BETWEEN 0 AND 9000);
ALTER TABLE requests ADD COLUMN discount integer NOT NULL DEFAULT 0 CHECK (discount BETWEEN 0 AND 9000);
