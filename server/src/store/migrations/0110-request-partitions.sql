-- Records of requests lie in one table for each month, so that a month that was archived gives its room back to the disk at once.
-- Ids begin with the time of arrival: the months are ranges of ids, and the id alone stays the key. Ledger rows are not cut like
-- this: that a request is charged once is one index over all of them, which a partitioned table can't have.
-- Versions from schema 86 on run with it.

-- The lowest id of a moment.
CREATE FUNCTION first_request_id(moment timestamptz) RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT (lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- The partitions with their bounds: the first id that belongs into each, and the first that does not. NULL: no bound. The one
-- for ids that fit nowhere else is left out.
CREATE FUNCTION request_partitions() RETURNS TABLE (name text, first_id uuid, end_id uuid) LANGUAGE sql STABLE AS $$
  SELECT name, (regexp_match(bound, 'FROM \(''([0-9a-f-]+)''\)'))[1]::uuid, (regexp_match(bound, 'TO \(''([0-9a-f-]+)''\)'))[1]::uuid
  FROM (
    SELECT c.relname::text AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'requests'::regclass
  ) parts WHERE bound <> 'DEFAULT'
$$;

CREATE FUNCTION set_request_storage(partition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %I SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.01)', partition);
END $$;

-- Makes the partition of the month in which a moment lies, in UTC. False where another already has these ids. The new table is
-- filled and bounded before it is attached, so that others wait for no more than the entry in the catalogue.
CREATE FUNCTION make_request_partition(moment timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  month timestamp := date_trunc('month', moment AT TIME ZONE 'UTC');
  first uuid := first_request_id(month AT TIME ZONE 'UTC');
  beyond uuid := first_request_id((month + interval '1 month') AT TIME ZONE 'UTC');
  name text := format('requests_%s', to_char(month, 'YYYY_MM'));
BEGIN
  PERFORM FROM request_partitions() p WHERE (p.first_id IS NULL OR p.first_id < beyond) AND (p.end_id IS NULL OR p.end_id > first);
  IF FOUND THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE requests INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', name);
  PERFORM set_request_storage(name);
  EXECUTE format('ALTER TABLE %I ADD CONSTRAINT requests_range CHECK (id >= %L AND id < %L)', name, first, beyond);
  PERFORM FROM requests_default WHERE id >= first AND id < beyond LIMIT 1;
  IF FOUND THEN
    LOCK TABLE requests_default IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('WITH moved AS (DELETE FROM requests_default WHERE id >= %L AND id < %L RETURNING *) INSERT INTO %I SELECT * FROM moved', first, beyond, name);
  END IF;
  EXECUTE format('ALTER TABLE requests ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, first, beyond);
  EXECUTE format('ALTER TABLE %I DROP CONSTRAINT requests_range', name);
  RETURN true;
END $$;

-- Makes `requests` a partitioned table, whose first partition is the table as it was, with every id up to a moment. Where that
-- table has a validated constraint `requests_range` that says so, no row is read.
CREATE FUNCTION partition_requests(until timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  index text;
BEGIN
  ALTER TABLE requests RENAME TO requests_before;
  FOR index IN SELECT i.relname FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid WHERE x.indrelid = 'requests_before'::regclass LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', index, replace(index, 'requests_', 'requests_before_'));
  END LOOP;
  CREATE TABLE requests (LIKE requests_before INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE, PRIMARY KEY (id)) PARTITION BY RANGE (id);
  ALTER TABLE requests DROP CONSTRAINT IF EXISTS requests_range;
  CREATE INDEX requests_by_account ON requests (account_id, id DESC);
  CREATE INDEX requests_by_key ON requests (key_id, id DESC);
  CREATE INDEX requests_failed ON requests (account_id, id DESC) WHERE status >= 400;
  CREATE INDEX requests_sampled ON requests (account_id, id) INCLUDE (created_at, status, latency_ms, key_id, model, provider, task)
    WHERE (get_byte(uuid_send(id), 15) & 15) = 0;
  CREATE INDEX requests_tagged ON requests (account_id, id) WHERE tags IS NOT NULL;
  EXECUTE format('ALTER TABLE requests ATTACH PARTITION requests_before FOR VALUES FROM (MINVALUE) TO (%L)', first_request_id(until));
  ALTER TABLE requests_before DROP CONSTRAINT IF EXISTS requests_range;
  -- A record is never refused for want of a partition.
  CREATE TABLE requests_default PARTITION OF requests DEFAULT;
  PERFORM set_request_storage('requests_default');
END $$;

-- A large table is left to the running service, which reads it without keeping requests waiting.
DO $$
DECLARE
  this_month timestamptz := date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
  next_month timestamptz := (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC';
  is_empty boolean := NOT EXISTS (SELECT FROM requests);
BEGIN
  IF pg_table_size('requests') > 64 * 1024 * 1024 THEN
    RETURN;
  END IF;
  PERFORM partition_requests(CASE WHEN is_empty THEN this_month ELSE next_month END);
  FOR ahead IN 0..2 LOOP
    PERFORM make_request_partition(this_month + make_interval(months => ahead));
  END LOOP;
END $$;
