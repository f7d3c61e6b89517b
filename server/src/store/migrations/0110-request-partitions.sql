-- Records of requests lie in one table for each month, so that a month that was archived gives its room back to the disk at once.
-- Ids begin with the time of arrival: the months are ranges of ids, and the id alone stays the key. Ledger rows are not cut like
-- this: that a request is charged once is one index over all of them, which a partitioned table can't have.
-- Versions from schema 86 on run with it.

-- The lowest id of a moment.
CREATE FUNCTION first_request_id(moment timestamptz) RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT (lpad(to_hex(floor(extract(epoch FROM moment) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- The partitions with their bounds: the first id that belongs into each, and the first that does not. NULL: no bound. Together they
-- have a place for every id, `requests_before` for those before all months and `requests_later` for those after. There is no
-- default partition: with one, PostgreSQL would have to look into every month for the newest requests.
CREATE FUNCTION request_partitions() RETURNS TABLE (name text, first_id uuid, end_id uuid) LANGUAGE sql STABLE AS $$
  SELECT name, (regexp_match(bound, 'FROM \(''([0-9a-f-]+)''\)'))[1]::uuid, (regexp_match(bound, 'TO \(''([0-9a-f-]+)''\)'))[1]::uuid
  FROM (
    SELECT c.relname::text AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'requests'::regclass
  ) parts
$$;

CREATE FUNCTION set_request_storage(partition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %I SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.01)', partition);
END $$;

-- Makes the partitions of the months up to the one that begins at a moment, in UTC. Records that are there already move into them.
CREATE FUNCTION make_request_partitions(until timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  low uuid;
  high uuid;
  month timestamp;
  made text;
BEGIN
  SELECT p.first_id INTO low FROM request_partitions() p WHERE p.name = 'requests_later';
  IF low > first_request_id(until) THEN
    RETURN;
  END IF;
  ALTER TABLE requests DETACH PARTITION requests_later;
  WHILE low <= first_request_id(until) LOOP
    month := to_timestamp(('x' || left(replace(low::text, '-', ''), 12))::bit(48)::bigint / 1000.0) AT TIME ZONE 'UTC';
    high := first_request_id((month + interval '1 month') AT TIME ZONE 'UTC');
    made := format('requests_%s', to_char(month, 'YYYY_MM'));
    EXECUTE format('CREATE TABLE %I PARTITION OF requests FOR VALUES FROM (%L) TO (%L)', made, low, high);
    PERFORM set_request_storage(made);
    EXECUTE format('WITH moved AS (DELETE FROM requests_later WHERE id < %L RETURNING *) INSERT INTO %I SELECT * FROM moved', high, made);
    low := high;
  END LOOP;
  EXECUTE format('ALTER TABLE requests ATTACH PARTITION requests_later FOR VALUES FROM (%L) TO (MAXVALUE)', low);
END $$;

-- Drops the partition of the oldest month, where neither it nor the one before it has a record, and gives that one its ids.
-- False where it stays.
CREATE FUNCTION drop_request_partition(dropped text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  high uuid;
  is_used boolean;
BEGIN
  LOCK TABLE requests IN ACCESS EXCLUSIVE MODE;
  SELECT p.end_id INTO high FROM request_partitions() p, request_partitions() b
    WHERE p.name = dropped AND b.name = 'requests_before' AND p.first_id = b.end_id;
  IF high IS NULL THEN
    RETURN false;
  END IF;
  EXECUTE format('SELECT EXISTS (SELECT FROM %I) OR EXISTS (SELECT FROM requests_before)', dropped) INTO is_used;
  IF is_used THEN
    RETURN false;
  END IF;
  ALTER TABLE requests DETACH PARTITION requests_before;
  EXECUTE format('DROP TABLE %I', dropped);
  TRUNCATE requests_before;
  EXECUTE format('ALTER TABLE requests ATTACH PARTITION requests_before FOR VALUES FROM (MINVALUE) TO (%L)', high);
  RETURN true;
END $$;

-- Makes `requests` a partitioned table, whose first partition is the table as it was, with every id up to the beginning of a month.
-- Where that table has a validated constraint `requests_range` that says so, no row is read.
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
  EXECUTE format('CREATE TABLE requests_later PARTITION OF requests FOR VALUES FROM (%L) TO (MAXVALUE)', first_request_id(until));
  PERFORM set_request_storage('requests_later');
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
  PERFORM make_request_partitions(this_month + interval '2 months');
END $$;
