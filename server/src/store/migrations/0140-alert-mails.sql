-- Alerts that wait to be sent by e-mail, one row for each person. Written in the alert's own transaction, deleted once sent.
-- Versions from schema 101 on run with it.
CREATE TABLE alert_mails (
  id              uuid PRIMARY KEY,
  account_id      uuid NOT NULL,
  -- The address is read when the e-mail is sent: it may change.
  person_id       uuid NOT NULL,
  type            text NOT NULL,
  -- The event, as webhooks get it.
  body            text NOT NULL,
  attempts        integer NOT NULL DEFAULT 0,
  -- A claim moves it to the end of its lease.
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  -- A person who leaves the organisation hears nothing more of it.
  FOREIGN KEY (account_id, person_id) REFERENCES members ON DELETE CASCADE
);
CREATE INDEX alert_mails_by_turn ON alert_mails (next_attempt_at);
CREATE INDEX alert_mails_by_member ON alert_mails (account_id, person_id);
