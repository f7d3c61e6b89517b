-- When a version becomes the price; NULL: with its creation. A rise of another account's model is announced beforehand.
ALTER TABLE price_versions ADD COLUMN effective_at timestamptz;
