-- Who logs in. A person belongs to organisations, which are the accounts, each with a role there.
CREATE TABLE people (
  id                uuid PRIMARY KEY,
  email             text NOT NULL,
  name              text NOT NULL,
  -- NULL: logs in by passkey only.
  password_hash     text,
  email_verified_at timestamptz,
  -- The second factor counts only once it was confirmed by a code. No code is taken twice: the last step is kept.
  sealed_totp       bytea,
  totp_confirmed_at timestamptz,
  totp_last_step    bigint,
  created_at        timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX people_by_email ON people (lower(email));

-- Codes for whoever lost the second factor, each good once.
CREATE TABLE recovery_codes (
  person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
  hash      bytea NOT NULL,
  PRIMARY KEY (person_id, hash)
);

CREATE TABLE passkeys (
  -- The credential's own id, in base64url.
  id           text PRIMARY KEY,
  person_id    uuid NOT NULL REFERENCES people ON DELETE CASCADE,
  name         text NOT NULL,
  public_key   bytea NOT NULL,
  counter      bigint NOT NULL,
  transports   text[] NOT NULL,
  backed_up    boolean NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX passkeys_by_person ON passkeys (person_id);

-- What somebody does in the dashboard is done by a key like any other, so that limits, usage and records know no second
-- kind of caller; nobody has its secret.
ALTER TABLE api_keys ADD COLUMN dashboard boolean NOT NULL DEFAULT false, ADD COLUMN made_by uuid REFERENCES people ON DELETE SET NULL;
CREATE TABLE members (
  account_id uuid NOT NULL REFERENCES accounts,
  person_id  uuid NOT NULL REFERENCES people ON DELETE CASCADE,
  role       text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'billing', 'viewer')),
  key_id     uuid NOT NULL REFERENCES api_keys,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, person_id)
);
CREATE INDEX members_by_person ON members (person_id);

-- Only a hash of the cookie is kept. A session looks at one organisation at a time.
CREATE TABLE sessions (
  id           uuid PRIMARY KEY,
  hash         bytea NOT NULL UNIQUE,
  person_id    uuid NOT NULL REFERENCES people ON DELETE CASCADE,
  account_id   uuid NOT NULL REFERENCES accounts,
  address      text NOT NULL,
  agent        text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz NOT NULL
);
CREATE INDEX sessions_by_person ON sessions (person_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- Links and tickets that work once: to verify an address, to reset a password, to finish a log-in, the operator's first.
CREATE TABLE one_time_tokens (
  hash       bytea PRIMARY KEY,
  purpose    text NOT NULL,
  person_id  uuid REFERENCES people ON DELETE CASCADE,
  data       jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX one_time_tokens_by_person ON one_time_tokens (person_id);
CREATE INDEX one_time_tokens_by_expiry ON one_time_tokens (expires_at);

CREATE TABLE invitations (
  id          uuid PRIMARY KEY,
  account_id  uuid NOT NULL REFERENCES accounts,
  email       text NOT NULL,
  role        text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'billing', 'viewer')),
  hash        bytea NOT NULL UNIQUE,
  invited_by  uuid REFERENCES people ON DELETE SET NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  expires_at  timestamptz NOT NULL,
  accepted_at timestamptz,
  revoked_at  timestamptz
);
CREATE INDEX invitations_by_account ON invitations (account_id, id DESC);

-- Who did what: people, keys and the service itself.
CREATE TABLE deeds (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES accounts,
  actor        text NOT NULL CHECK (actor IN ('person', 'key', 'service')),
  actor_id     uuid,
  -- As it was called then: names change, history doesn't.
  actor_name   text NOT NULL,
  action       text NOT NULL,
  subject_id   text,
  subject_name text,
  details      jsonb NOT NULL,
  address      text,
  created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX deeds_by_account ON deeds (account_id, id DESC);
CREATE TRIGGER deeds_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON deeds
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- A suspended account can look, but neither spend nor change anything.
ALTER TABLE accounts ADD COLUMN suspended_at timestamptz;
