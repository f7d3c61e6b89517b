-- Certificates that an ACME server issues. All instances share them; one instance orders at a time.

CREATE TABLE acme_accounts (
  -- The address of the ACME server's directory.
  directory text PRIMARY KEY,
  -- The account's key, encrypted.
  key_box bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE acme_certificates (
  -- The ACME server and the domains.
  name text PRIMARY KEY,
  -- Null until the first certificate is issued. The key is encrypted.
  chain text,
  key_box bytea,
  CHECK ((chain IS NULL) = (key_box IS NULL)),
  -- How often an order has failed since the last that did not.
  failures integer NOT NULL DEFAULT 0,
  next_order_at timestamptz NOT NULL DEFAULT now(),
  leased_by text,
  leased_until timestamptz
);

-- What the ACME server looks for at a domain while an order runs.
CREATE TABLE acme_challenges (
  token text PRIMARY KEY,
  certificate text NOT NULL REFERENCES acme_certificates (name) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('http-01', 'tls-alpn-01')),
  domain text NOT NULL,
  key_authorization text NOT NULL,
  expires_at timestamptz NOT NULL
);
