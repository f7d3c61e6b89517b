-- The people and groups that an organisation's directory has sent by SCIM.
CREATE TABLE directory_users (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES accounts,
  -- NULL: switched off from the start, or in no group that gives a role.
  person_id    uuid REFERENCES people ON DELETE SET NULL,
  user_name    text NOT NULL,
  external_id  text,
  email        text NOT NULL,
  display_name text,
  given_name   text,
  family_name  text,
  active       boolean NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  changed_at   timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX directory_users_by_name ON directory_users (account_id, lower(user_name));
CREATE UNIQUE INDEX directory_users_by_email ON directory_users (account_id, lower(email));
CREATE INDEX directory_users_by_person ON directory_users (person_id);

CREATE TABLE directory_groups (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES accounts,
  display_name text NOT NULL,
  external_id  text,
  created_at   timestamptz NOT NULL DEFAULT now(),
  changed_at   timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX directory_groups_by_name ON directory_groups (account_id, lower(display_name));

CREATE TABLE directory_group_members (
  group_id uuid NOT NULL REFERENCES directory_groups ON DELETE CASCADE,
  user_id  uuid NOT NULL REFERENCES directory_users ON DELETE CASCADE,
  PRIMARY KEY (group_id, user_id)
);
CREATE INDEX directory_group_members_by_user ON directory_group_members (user_id);
