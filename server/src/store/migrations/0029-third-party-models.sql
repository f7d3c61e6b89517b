-- Whether a name without its provider may stand for a model that another account than the operator's registered.
ALTER TABLE accounts ADD COLUMN third_party_models boolean NOT NULL DEFAULT false;
