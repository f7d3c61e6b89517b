-- The audit log stays append-only, with one exception: what names a person can be erased. Everything else of an entry stays:
-- its id, its moment, the action, and the ids of who and what it was about.
CREATE FUNCTION refuse_rewriting_deeds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND current_setting('trunkline.erases_person', true) = 'yes' THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
DROP TRIGGER deeds_append_only ON deeds;
CREATE TRIGGER deeds_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON deeds
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_deeds();

CREATE FUNCTION keep_facts_of_deeds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.account_id, NEW.actor, NEW.actor_id, NEW.action, NEW.subject_id, NEW.created_at)
    IS DISTINCT FROM (OLD.id, OLD.account_id, OLD.actor, OLD.actor_id, OLD.action, OLD.subject_id, OLD.created_at) THEN
    RAISE EXCEPTION 'the audit log is append-only';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER deeds_keep_facts BEFORE UPDATE ON deeds FOR EACH ROW EXECUTE FUNCTION keep_facts_of_deeds();

-- Keys with which the service signs what others check without it. The private key is encrypted.
CREATE TABLE signing_keys (
  name       text PRIMARY KEY,
  public_key text NOT NULL,
  sealed_key bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
