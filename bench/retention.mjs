// @ts-check
/**
 * Measures what a long history costs: the size of a request in the database, audits of all of it and since a checkpoint,
 * archiving, and the size of the files; first with one table of records, then with one for each month.
 * `npm run bench:retention -- --requests 1000000`. With `--keep <folder>` the history is written into months and stays
 * there, as a data folder of the service; `--measure <folder>` measures one that was kept.
 */
import { chmod, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { openDatabase } from "../server/src/store/database/database.ts";
import { auditLedger } from "../server/src/store/ledger/audit.ts";
import { setCheckpoint } from "../server/src/store/ledger/audit-scope.ts";
import { PostgresProviderEarnings } from "../server/src/store/ledger/provider-earnings.ts";
import { sealLedger } from "../server/src/store/ledger/seal-ledger.ts";
import { migrate } from "../server/src/store/migrate.ts";
import { RequestArchiver } from "../server/src/store/usage/request-archive.ts";
import { RequestLog } from "../server/src/store/usage/request-log.ts";
import { RequestPartitions } from "../server/src/store/usage/request-partitions.ts";
import { closeUsageDays } from "../server/src/store/usage/usage-rollups.ts";
import { verifyArchives } from "../server/src/store/usage/verify-archives.ts";
import { BenchFailure } from "./bench-failure.mjs";
import { cpuBetween, readCpu } from "./cpu-time.mjs";
import { isPostgres } from "./process-tree.mjs";
import { writeLedgerHistory } from "./retention-history.mjs";

const BATCH = 100_000;
const KEPT_DAYS = 30;

/** @param {string} line */
const say = (line) => process.stdout.write(`${line}\n`);

/** Says how long something took, and how much of the processors PostgreSQL used for it. @template Result @param {string} what @param {() => Promise<Result>} work */
async function timed(what, work) {
  const [startedAt, before] = [performance.now(), readCpu(process.pid)];
  const result = await work();
  const cpu = cpuBetween(before, readCpu(process.pid), isPostgres) / 1e6;
  say(
    `${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s, ${cpu.toFixed(1)} s of PostgreSQL's processor`,
  );
  return result;
}

/** @param {string} name */
function argument(name) {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
}

async function bench() {
  const requests = Number(argument("--requests") ?? 1_000_000);
  if (!Number.isInteger(requests) || requests < BATCH || requests % BATCH !== 0)
    throw new BenchFailure(`\`--requests\` must be a multiple of ${BATCH}.`);
  const [kept, measured] = [argument("--keep"), argument("--measure")];
  if (kept !== undefined) return keep(kept, requests);
  if (measured !== undefined) return measureKept(measured);
  const folder = await mkdtemp(join(tmpdir(), "trunkline-bench-retention-"));
  // PostgreSQL may run as another account, which must be able to pass.
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "data"), log: () => undefined });
  const database = openDatabase(postgres.connection, (error) => say(error.message));
  try {
    await migrate(database);
    await database.query(MAKE_ONE_TABLE);
    await timed(`${requests.toLocaleString("en")} requests written`, () =>
      writeLedgerHistory(database, requests, BATCH),
    );
    await timed("sealed", () => sealLedger(database));
    await timed("earnings read", () => new PostgresProviderEarnings(database).collect(100_000));
    await timed("days closed", () => closeUsageDays(database));
    await timed("vacuumed", () => database.query("VACUUM ANALYZE"));
    say("\nOne table:");
    await measure(database, requests);
    say("\nPartitions by month:");
    await timed("divided", () => database.query(MAKE_PARTITIONS));
    await timed("vacuumed", () => database.query("VACUUM ANALYZE"));
    await measure(database, requests);
    // A mark is below the newest seal whose transactions are over: one more seal settles the ones before it.
    await writeLedgerHistory(database, 1_000, 1_000);
    await sealLedger(database);
    const { mark } = await auditLedger(database);
    if (mark === undefined) throw new BenchFailure("Nothing is settled.");
    await timed("checkpoint set", () => setCheckpoint(database, mark));
    await timed("audit since the checkpoint", () => audit(database, true));

    const archive = join(folder, "archive");
    const archiver = new RequestArchiver(database, { days: KEPT_DAYS, folder: archive });
    const moved = await timed("archived", () => archiver.run(Date.now()));
    await timed("partitions dropped", () => new RequestPartitions(database).run(Date.now()));
    say(
      `moved: ${moved.toLocaleString("en")}, ${((await folderBytes(archive)) / moved).toFixed(0)} bytes each in files`,
    );
    await sizes(database, requests);
    await timed("audit of all that is left", () => audit(database, false));
    const verdict = await timed("files verified", () => verifyArchives(database, archive));
    if (verdict.troubles.length > 0) throw new BenchFailure(verdict.troubles.join("\n"));
  } finally {
    await database.close();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} dataDir @param {(database: import("../server/src/store/database/database.ts").Database) => Promise<void>} work */
async function onKept(dataDir, work) {
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  const database = openDatabase(postgres.connection, (error) => say(error.message));
  try {
    await migrate(database);
    await work(database);
  } finally {
    await database.close();
    await postgres.stop();
  }
}

/** @param {string} dataDir @param {number} requests */
function keep(dataDir, requests) {
  return onKept(dataDir, async (database) => {
    await database.query(MAKE_ONE_TABLE);
    await database.query(MAKE_PARTITIONS);
    await timed(`${requests.toLocaleString("en")} requests written`, () =>
      writeLedgerHistory(database, requests, BATCH),
    );
    await finish(database);
  });
}

/** @param {import("../server/src/store/database/database.ts").Database} database */
async function finish(database) {
  await timed("sealed", () => sealLedger(database));
  await timed("vacuumed", () => database.query("VACUUM ANALYZE"));
  await timed("days closed", () => closeUsageDays(database));
  await timed("earnings read", () => new PostgresProviderEarnings(database).collect(100_000));
}

/** @param {string} dataDir */
function measureKept(dataDir) {
  return onKept(dataDir, async (database) => {
    const [row] = await database.query("SELECT count(*) AS count FROM requests");
    const requests = Number(row?.count);
    if (process.argv.includes("--finish")) await finish(database);
    await sizes(database, requests);
    await queries(database);
    if (process.argv.includes("--no-audit")) return;
    const whole = await timed("audit of all", () => audit(database, false));
    say(`transfers: ${whole.transfers}`);
    const settled = whole.mark;
    if (settled === undefined) throw new BenchFailure("Nothing is settled.");
    await timed("checkpoint set", () => setCheckpoint(database, settled));
    await timed("audit since the checkpoint", () => audit(database, true));
  });
}

/** @param {import("../server/src/store/database/database.ts").Database} database @param {number} requests */
async function measure(database, requests) {
  await sizes(database, requests);
  await queries(database);
  await timed("100,000 records deleted", () =>
    database.transaction(async (connection) => {
      await connection.query("DELETE FROM requests WHERE id IN (SELECT id FROM requests ORDER BY id LIMIT 100000)");
      await connection.query("ROLLBACK AND CHAIN");
    }),
  );
  const whole = await timed("audit of all", () => audit(database, false));
  say(`transfers: ${whole.transfers}`);
}

/** @param {string} table @param {string} before @param {string} after What its indexes' names begin with. */
const renameIndexes = (table, before, after) => `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT indexname FROM pg_indexes WHERE tablename = '${table}' LOOP
    EXECUTE format('ALTER INDEX %I RENAME TO %I', name, replace(name, '${before}', '${after}'));
  END LOOP; END $$;`;

/** The table as it was before there were partitions. */
const MAKE_ONE_TABLE = `ALTER TABLE requests DETACH PARTITION requests_before;
DROP TABLE requests;
ALTER TABLE requests_before RENAME TO requests;
${renameIndexes("requests", "requests_before_", "requests_")}`;

/** Each record in the partition of its month. A service that was running would have its old records in the first one. */
const MAKE_PARTITIONS = `ALTER TABLE requests RENAME TO requests_old;
${renameIndexes("requests_old", "requests_", "requests_old_")}
CREATE TABLE requests (LIKE requests_old INCLUDING DEFAULTS INCLUDING CONSTRAINTS, PRIMARY KEY (id));
SELECT partition_requests((date_trunc('month', now() AT TIME ZONE 'UTC') - interval '3 months') AT TIME ZONE 'UTC');
SELECT make_request_partitions((date_trunc('month', now() AT TIME ZONE 'UTC') + interval '2 months') AT TIME ZONE 'UTC');
INSERT INTO requests SELECT * FROM requests_old ORDER BY id;
DROP TABLE requests_old`;

const ROUNDS = 40;

/** The queries that pages ask, of accounts in turn. @param {import("../server/src/store/database/database.ts").Database} database */
async function queries(database) {
  const accounts = await database.query("SELECT DISTINCT account_id AS id FROM usage_quarters LIMIT 20");
  const [middle] = await database.query("SELECT first_request_id(now() - interval '45 days') AS id");
  const [request] = await database.query("SELECT id, account_id FROM requests ORDER BY id DESC OFFSET 1000 LIMIT 1");
  const log = new RequestLog(database);
  const since = (/** @type {number} */ days) => new Date(Date.now() - days * 86_400_000);
  /** @type {[string, (accountId: string) => Promise<unknown>][]} */
  const asked = [
    ["newest 50 of an account", (id) => log.page(id, {}, 50, undefined)],
    ["50 of an account from the middle", (id) => log.page(id, {}, 50, { id: middle?.id, towards: "older" })],
    ["a search for what is rare", (id) => log.page(id, { model: "none" }, 50, undefined)],
    ["failed ones of a week", (id) => log.page(id, { status: { from: 400, to: 599 }, from: since(7) }, 50, undefined)],
    ["one record", () => log.find(request?.account_id, request?.id)],
    [
      "last use of 20 keys",
      () =>
        database.query(
          "SELECT (SELECT created_at FROM requests r WHERE r.key_id = k.id ORDER BY r.id DESC LIMIT 1) FROM unnest($1::uuid[]) AS k (id)",
          [accounts.map(({ id }) => id)],
        ),
    ],
    [
      "usage by day and model",
      (id) =>
        database.query(
          "SELECT date_trunc('day', quarter), model, sum(cost) FROM usage_quarters WHERE account_id = $1 AND quarter >= $2 GROUP BY 1, 2",
          [id, since(30)],
        ),
    ],
    [
      "256 records written",
      () =>
        database.transaction(async (connection) => {
          await connection.query(WRITE_256);
          await connection.query("ROLLBACK AND CHAIN");
        }),
    ],
  ];
  for (const [what, ask] of asked) {
    const times = [];
    const before = readCpu(process.pid);
    for (let round = 0; round < ROUNDS; round++) {
      const startedAt = performance.now();
      await ask(accounts[round % accounts.length]?.id);
      times.push(performance.now() - startedAt);
    }
    times.sort((one, other) => one - other);
    const cpu = cpuBetween(before, readCpu(process.pid), isPostgres) / 1e3 / ROUNDS;
    say(`${what}: ${cpu.toFixed(2)} ms of PostgreSQL's processor, the quickest took ${times[0]?.toFixed(2)} ms`);
  }
}

const WRITE_256 = `INSERT INTO requests (id, account_id, key_id, created_at, path, task, model, provider, status, input_tokens, output_tokens, usage_source, held, cost, latency_ms, detail)
SELECT (left(first_request_id(now())::text, 14) || '7' || substr(md5(random()::text), 1, 3) || '-8' || substr(md5(random()::text), 1, 3) || '-' || substr(md5(random()::text), 1, 12))::uuid,
  account_id, key_id, now(), path, task, model, provider, status, input_tokens, output_tokens, usage_source, held, cost, latency_ms, detail
FROM (SELECT * FROM requests ORDER BY id DESC LIMIT 256) newest ON CONFLICT (id) DO NOTHING`;

/** @param {import("../server/src/store/database/database.ts").Database} database @param {boolean} sinceCheckpoint */
async function audit(database, sinceCheckpoint) {
  const result = await auditLedger(database, sinceCheckpoint);
  for (const { verdict, check, examples } of result.findings)
    if (verdict !== "sound") throw new BenchFailure(`${check}: ${examples.join("; ")}`);
  return result;
}

/** @param {import("../server/src/store/database/database.ts").Database} database @param {number} requests */
async function sizes(database, requests) {
  const rows = await database.query(
    `SELECT name, sum(pg_table_size(c.oid)) AS rows, sum(pg_indexes_size(c.oid)) AS indexes
     FROM unnest('{ledger_seals,ledger_transfers,requests,usage_quarters}'::text[]) AS name
     JOIN pg_class c ON c.oid = name::regclass OR c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = name::regclass)
     GROUP BY 1 ORDER BY 1`,
  );
  for (const { name, rows: table, indexes } of rows)
    say(
      `${name}: ${(Number(table) / requests).toFixed(0)} + ${(Number(indexes) / requests).toFixed(0)} bytes a request`,
    );
}

/** @param {string} folder */
async function folderBytes(folder) {
  let bytes = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  return bytes;
}

await bench().catch((error) => {
  if (!(error instanceof BenchFailure)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
