import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { auditBetweenClusters } from "../../src/store/clusters/audit-between-clusters.ts";
import { type Cluster, identifyClusters } from "../../src/store/clusters/cluster-registry.ts";
import { openDatabase } from "../../src/store/database/database.ts";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { createMigratedDatabase } from "./test-database.ts";

/** A second PostgreSQL server, beside that of the run. */
export interface SecondServer {
  readonly url: string;
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts a PostgreSQL server of its own, empty. */
export async function startSecondServer(): Promise<SecondServer> {
  const folder = await mkdtemp(join(tmpdir(), "trunkline-second-"));
  // As root the server runs as another user, who must be able to pass through.
  await chmod(folder, 0o755);
  const open = () => startEmbeddedPostgres({ dataDir: folder, log: () => undefined }, { settings: { fsync: "off" } });
  let postgres = await open();
  const { host, port, user, database } = postgres.connection;
  return {
    url: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    stop: () => postgres.stop(),
    async start() {
      postgres = await open();
    },
    async remove() {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Two databases that are registered as clusters of one service, for tests of the store. */
export async function openTwoClusters() {
  const tests = [await createMigratedDatabase(), await createMigratedDatabase()];
  const databases = tests.map(({ address }) => openDatabase(address, () => undefined));
  const clusters = await identifyClusters(databases);
  return {
    clusters,
    async close() {
      for (const database of databases) await database.close();
      for (const test of tests) await test.drop();
    },
  };
}

/** What audits of all clusters, and of what lies between them, find wrong, but for some checks. */
export async function findTroubles(clusters: readonly Cluster[], except: readonly string[] = []): Promise<string[]> {
  const troubles: string[] = [];
  for (const { number, database } of clusters) {
    const { findings } = await auditLedger(database);
    for (const { check, verdict, examples } of findings)
      if (verdict === "broken" && !except.includes(check))
        troubles.push(`cluster ${number}, ${check}: ${examples.join("; ")}`);
  }
  for (const { check, verdict, examples } of await auditBetweenClusters(clusters))
    if (verdict !== "sound") troubles.push(`${check}: ${examples.join("; ")}`);
  return troubles;
}
