-- Units that came to the treasury without any Transfer event, by the range of blocks that was read. What is read again is
-- counted again, so the ranges behind the block to go on with are dropped.
CREATE TABLE token_unexplained (
  chain_id   bigint NOT NULL,
  contract   text NOT NULL,
  treasury   text NOT NULL,
  from_block bigint NOT NULL,
  to_block   bigint NOT NULL CHECK (to_block >= from_block),
  units      numeric(78, 0) NOT NULL CHECK (units > 0),
  PRIMARY KEY (chain_id, contract, treasury, from_block),
  FOREIGN KEY (chain_id, contract, treasury) REFERENCES token_scans
);
INSERT INTO token_unexplained
SELECT chain_id, contract, treasury, 0, greatest(next_block - 1, 0), unexplained FROM token_scans WHERE unexplained > 0;
ALTER TABLE token_scans DROP COLUMN unexplained;
