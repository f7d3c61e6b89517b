-- For how long an account wants its data kept, by kind; NULL: as long as the service does.
-- Versions from schema 86 on run with it.
CREATE TABLE account_retention (
  account_id     uuid PRIMARY KEY REFERENCES accounts,
  contents_days  integer,
  details_days   integer,
  responses_days integer,
  audit_log_days integer,
  -- The first request whose content, and whose details, are still as they were written.
  contents_from  uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  details_from   uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);

-- The audit log stays append-only, with two exceptions: what names a person can be erased, and entries before a moment that the
-- transaction names, because their account keeps them no longer, are deleted.
CREATE OR REPLACE FUNCTION refuse_rewriting_deeds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND current_setting('trunkline.erases_person', true) = 'yes' THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'DELETE' AND current_setting('trunkline.expires_deeds_before', true) <> '' THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END $$;

CREATE FUNCTION expire_old_deeds_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.created_at < current_setting('trunkline.expires_deeds_before')::timestamptz THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
CREATE TRIGGER deeds_expire_old BEFORE DELETE ON deeds FOR EACH ROW EXECUTE FUNCTION expire_old_deeds_only();
