-- The format in which a model's provider is spoken to, and the provider's own name for the model.
ALTER TABLE models ADD COLUMN wire text NOT NULL DEFAULT 'trunkline';
ALTER TABLE models ADD COLUMN upstream_model text;
