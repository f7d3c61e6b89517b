-- A closed organisation has neither members nor keys; its records, its log and its money stay.
ALTER TABLE accounts ADD COLUMN closed_at timestamptz;

-- How many letters an invitation took, and when the last went out: an organisation may send so many a day.
ALTER TABLE invitations ADD COLUMN letters integer NOT NULL DEFAULT 1, ADD COLUMN sent_at timestamptz NOT NULL DEFAULT now();

-- The keys that somebody made, for when they leave.
CREATE INDEX api_keys_by_maker ON api_keys (account_id, made_by) WHERE made_by IS NOT NULL;
