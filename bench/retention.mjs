// @ts-check
/**
 * Measures what a long history costs: the size of a request in the database, audits of all of it and since a checkpoint,
 * archiving, and the size of the files. `npm run bench:retention -- --requests 1000000`.
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
import { closeUsageDays } from "../server/src/store/usage/usage-rollups.ts";
import { verifyArchives } from "../server/src/store/usage/verify-archives.ts";
import { BenchFailure } from "./bench-failure.mjs";
import { writeLedgerHistory } from "./retention-history.mjs";

const BATCH = 100_000;
const KEPT_DAYS = 30;

/** @param {string} line */
const say = (line) => process.stdout.write(`${line}\n`);

/** @template Result @param {string} what @param {() => Promise<Result>} work */
async function timed(what, work) {
  const startedAt = performance.now();
  const result = await work();
  say(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return result;
}

async function bench() {
  const at = process.argv.indexOf("--requests");
  const requests = at === -1 ? 1_000_000 : Number(process.argv[at + 1]);
  if (!Number.isInteger(requests) || requests < BATCH || requests % BATCH !== 0)
    throw new BenchFailure(`\`--requests\` must be a multiple of ${BATCH}.`);
  const folder = await mkdtemp(join(tmpdir(), "trunkline-bench-retention-"));
  // PostgreSQL may run as another account, which must be able to pass.
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "data"), log: () => undefined });
  const database = openDatabase(postgres.connection, (error) => say(error.message));
  try {
    await migrate(database);
    await timed(`${requests.toLocaleString("en")} requests written`, () =>
      writeLedgerHistory(database, requests, BATCH),
    );
    await timed("sealed", () => sealLedger(database));
    await timed("earnings read", () => new PostgresProviderEarnings(database).collect(100_000));
    await timed("days closed", () => closeUsageDays(database));
    await timed("vacuumed", () => database.query("VACUUM ANALYZE"));
    await sizes(database, requests);
    const whole = await timed("audit of all", () => audit(database, false));
    // A mark is below the newest seal whose transactions are over: one more seal settles the ones before it.
    await writeLedgerHistory(database, 1_000, 1_000);
    await sealLedger(database);
    const again = await auditLedger(database);
    if (again.mark === undefined) throw new BenchFailure("Nothing is settled.");
    const { mark } = again;
    await timed("checkpoint set", () => setCheckpoint(database, mark));
    await timed("audit since the checkpoint", () => audit(database, true));
    say(`transfers: ${whole.transfers}`);

    const archive = join(folder, "archive");
    const archiver = new RequestArchiver(database, { days: KEPT_DAYS, folder: archive });
    const moved = await timed("archived", () => archiver.run(Date.now()));
    await timed("vacuumed", () => database.query("VACUUM ANALYZE requests"));
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
    `SELECT relname AS name, pg_table_size(oid) AS rows, pg_indexes_size(oid) AS indexes FROM pg_class
     WHERE relname IN ('requests', 'ledger_transfers', 'usage_quarters', 'ledger_seals') ORDER BY 1`,
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
