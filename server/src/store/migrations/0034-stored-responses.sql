-- Responses that a later request can continue or refer to. What was said is encrypted with the service's secret.
CREATE TABLE stored_responses (
  -- The id of its request.
  id          uuid PRIMARY KEY,
  account_id  uuid NOT NULL REFERENCES accounts,
  -- The response that this one continues. No foreign key: a response can be deleted while later ones stay.
  previous_id uuid,
  -- What the request added to the conversation, and the response as the client received it.
  input       bytea NOT NULL,
  response    bytea NOT NULL,
  bytes       integer NOT NULL,
  created_at  timestamptz NOT NULL,
  expires_at  timestamptz NOT NULL
);
CREATE INDEX stored_responses_by_account ON stored_responses (account_id, expires_at DESC);
CREATE INDEX stored_responses_by_expiry ON stored_responses (expires_at);

CREATE TABLE conversations (
  id            uuid PRIMARY KEY,
  account_id    uuid NOT NULL REFERENCES accounts,
  -- Its metadata, encrypted.
  metadata      bytea NOT NULL,
  -- Where the next item goes. Places of deleted items stay empty.
  next_position integer NOT NULL DEFAULT 0,
  -- Of all items.
  bytes         integer NOT NULL DEFAULT 0,
  created_at    timestamptz NOT NULL,
  expires_at    timestamptz NOT NULL
);
CREATE INDEX conversations_by_account ON conversations (account_id, expires_at DESC);
CREATE INDEX conversations_by_expiry ON conversations (expires_at);

CREATE TABLE conversation_items (
  conversation_id uuid NOT NULL REFERENCES conversations ON DELETE CASCADE,
  position        integer NOT NULL,
  account_id      uuid NOT NULL,
  -- As the client knows it. A client can add an item twice, so an id need not be unique.
  id              text NOT NULL,
  item            bytea NOT NULL,
  PRIMARY KEY (conversation_id, position)
);
CREATE INDEX conversation_items_by_id ON conversation_items (account_id, id);
