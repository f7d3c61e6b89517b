-- The account's presets by name: what a name in `model` stands for.
ALTER TABLE accounts ADD COLUMN presets jsonb NOT NULL DEFAULT '{}';
