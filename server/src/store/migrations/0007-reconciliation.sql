-- Reports of providers per model and day. In `model`, '' stands for all of the provider's models, and in `day`, infinity
-- stands for all time. A report follows those before it of the same model and day; the newest counts, all are kept.
ALTER TABLE provider_reports
  ADD COLUMN provider    text NOT NULL DEFAULT '',
  ADD COLUMN model       text NOT NULL DEFAULT '',
  ADD COLUMN day         date NOT NULL DEFAULT 'infinity',
  -- The day was not over yet.
  ADD COLUMN provisional boolean NOT NULL DEFAULT false,
  -- The two counts were further apart than was allowed then.
  ADD COLUMN flagged     boolean NOT NULL DEFAULT false;
UPDATE provider_reports r SET provider = a.provider FROM accounts a WHERE a.id = r.account_id;
ALTER TABLE provider_reports
  ALTER COLUMN provider DROP DEFAULT,
  ALTER COLUMN model DROP DEFAULT,
  ALTER COLUMN day DROP DEFAULT,
  ALTER COLUMN provisional DROP DEFAULT,
  ALTER COLUMN flagged DROP DEFAULT;
CREATE INDEX provider_reports_by_subject ON provider_reports (provider, model, day, created_at DESC, id DESC);
CREATE INDEX provider_reports_flagged ON provider_reports (id DESC) WHERE flagged;
CREATE TRIGGER provider_reports_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON provider_reports
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting_history();

-- Where days are long over, `usage_quarters` is summed once more, so that a year is read as fast as a week: by whole day
-- of UTC, and by quarter of an hour for the account as a whole, which serves the days of every time zone.
CREATE TABLE usage_days (
  account_id    uuid NOT NULL,
  day           date NOT NULL,
  key_id        uuid NOT NULL,
  model         text NOT NULL,
  provider      text NOT NULL,
  task          text NOT NULL,
  requests      bigint NOT NULL,
  errors        bigint NOT NULL,
  input_tokens  bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cost          bigint NOT NULL,
  PRIMARY KEY (account_id, day, key_id, model, provider, task)
);
CREATE INDEX usage_days_by_provider ON usage_days (provider, day);
CREATE TABLE usage_account_quarters (
  account_id    uuid NOT NULL,
  quarter       timestamptz NOT NULL,
  requests      bigint NOT NULL,
  errors        bigint NOT NULL,
  input_tokens  bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cost          bigint NOT NULL,
  PRIMARY KEY (account_id, quarter)
);

-- One row: everything before this moment, a midnight of UTC, is in the two sums above.
CREATE TABLE usage_closed (until timestamptz NOT NULL);
INSERT INTO usage_closed VALUES ('-infinity');

-- What changes late is changed in what is closed already. The lock waits for whoever is closing, and keeps others from
-- closing before this is committed. What is not late needs no lock: days are closed hours after that (close-usage.ts).
-- An instance's own sums are folded into the common ones: what is deleted there and added here changes nothing.
CREATE FUNCTION change_closed_usage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  closed_until timestamptz;
  changed usage_quarters;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  SELECT until INTO closed_until FROM usage_closed FOR SHARE;
  IF changed.quarter >= closed_until THEN
    RETURN NULL;
  END IF;
  changed.requests := coalesce(NEW.requests, 0) - coalesce(OLD.requests, 0);
  changed.errors := coalesce(NEW.errors, 0) - coalesce(OLD.errors, 0);
  changed.input_tokens := coalesce(NEW.input_tokens, 0) - coalesce(OLD.input_tokens, 0);
  changed.output_tokens := coalesce(NEW.output_tokens, 0) - coalesce(OLD.output_tokens, 0);
  changed.cost := coalesce(NEW.cost, 0) - coalesce(OLD.cost, 0);
  INSERT INTO usage_days AS d VALUES (changed.account_id, (changed.quarter AT TIME ZONE 'UTC')::date, changed.key_id, changed.model,
    changed.provider, changed.task, changed.requests, changed.errors, changed.input_tokens, changed.output_tokens, changed.cost)
  ON CONFLICT (account_id, day, key_id, model, provider, task) DO UPDATE SET
    requests = d.requests + EXCLUDED.requests, errors = d.errors + EXCLUDED.errors, input_tokens = d.input_tokens + EXCLUDED.input_tokens,
    output_tokens = d.output_tokens + EXCLUDED.output_tokens, cost = d.cost + EXCLUDED.cost;
  INSERT INTO usage_account_quarters AS q VALUES (changed.account_id, changed.quarter,
    changed.requests, changed.errors, changed.input_tokens, changed.output_tokens, changed.cost)
  ON CONFLICT (account_id, quarter) DO UPDATE SET
    requests = q.requests + EXCLUDED.requests, errors = q.errors + EXCLUDED.errors, input_tokens = q.input_tokens + EXCLUDED.input_tokens,
    output_tokens = q.output_tokens + EXCLUDED.output_tokens, cost = q.cost + EXCLUDED.cost;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_quarters_late AFTER INSERT OR UPDATE ON usage_quarters FOR EACH ROW
  WHEN (NEW.quarter < now() - interval '1 hour') EXECUTE FUNCTION change_closed_usage();
CREATE TRIGGER usage_quarters_late_deletion AFTER DELETE ON usage_quarters FOR EACH ROW
  WHEN (OLD.quarter < now() - interval '1 hour') EXECUTE FUNCTION change_closed_usage();
