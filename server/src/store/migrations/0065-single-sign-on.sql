-- How an organisation's members log in at an identity provider of its own, by OpenID Connect.
CREATE TABLE identity_providers (
  id            uuid PRIMARY KEY,
  account_id    uuid NOT NULL UNIQUE REFERENCES accounts,
  -- What people enter to find it, beside their e-mail address.
  name          text NOT NULL,
  issuer        text NOT NULL,
  client_id     text NOT NULL,
  -- NULL: a public client, protected by PKCE alone.
  sealed_secret bytea,
  scopes        text[] NOT NULL,
  groups_claim  text NOT NULL,
  -- [{"group", "role"}]: the most powerful role that fits counts.
  role_rules    jsonb NOT NULL,
  -- NULL: people in none of these groups are refused.
  default_role  text CHECK (default_role IN ('admin', 'developer', 'billing', 'viewer')),
  created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX identity_providers_by_name ON identity_providers (lower(name));

-- The domains of an organisation's e-mail addresses. Its identity provider may speak for the addresses of verified ones alone.
CREATE TABLE email_domains (
  account_id  uuid NOT NULL REFERENCES accounts,
  domain      text NOT NULL,
  -- What the DNS record has to hold.
  token       text NOT NULL,
  verified_at timestamptz,
  verified_by text CHECK (verified_by IN ('dns', 'operator')),
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, domain)
);
CREATE UNIQUE INDEX email_domains_verified ON email_domains (domain) WHERE verified_at IS NOT NULL;

-- Who is who at an organisation's identity provider. The subject of one organisation says nothing in another, whatever its issuer.
CREATE TABLE external_identities (
  account_id uuid NOT NULL REFERENCES accounts,
  issuer     text NOT NULL,
  subject    text NOT NULL,
  person_id  uuid NOT NULL REFERENCES people ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account_id, issuer, subject)
);
CREATE INDEX external_identities_by_person ON external_identities (person_id);

-- Members of such an organisation reach it by single sign-on only.
ALTER TABLE accounts ADD COLUMN sso_enforced boolean NOT NULL DEFAULT false;
-- The organisation whose identity provider opened the session, which reaches no other. NULL: the person's own means did.
ALTER TABLE sessions ADD COLUMN sso_account_id uuid REFERENCES accounts;
