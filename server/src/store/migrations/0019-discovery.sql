-- Whether a model was found by its provider's key in the environment rather than registered or declared. Such rows keep
-- its id, its prices and the operator's word on it; its key is never kept.
ALTER TABLE models ADD COLUMN discovered boolean NOT NULL DEFAULT false;
