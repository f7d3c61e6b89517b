import { execFile } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Connection } from "@trunkline/local-postgres/access.ts";
import { findRetainedBinaries } from "@trunkline/local-postgres/kept-programs.ts";
import { startEmbeddedPostgres } from "@trunkline/local-postgres/start-embedded-postgres.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { OLDER, openTrial, processesOn, query, type Trial } from "../../../test/support/embedded-trial.ts";
import { openStoreAt } from "../../../test/support/fresh-store.ts";
import { openTraffic } from "../../../test/support/ledger-traffic.ts";
import { priceSettlements } from "../../../test/support/priced-settlements.ts";
import { auditLedger } from "../ledger/audit.ts";
import { sealLedger } from "../ledger/seal-ledger.ts";

/** Every sign that a row's text could trip over. */
const ODD = 'tab\t line\n back\\slash \\. quote\' "double" ünïcödé 🐘';

let trial: Trial;
let older: string;
let before: unknown[];
let settle: Awaited<ReturnType<typeof priceSettlements>>;

/** All rows of all tables as text, and where each sequence stands. */
async function contentOf(connection: Connection): Promise<unknown[]> {
  const tables = (await query(
    connection,
    "SELECT relname AS name, relkind AS kind FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S') ORDER BY 1",
  )) as { name: string; kind: string }[];
  const content: unknown[] = [];
  for (const { name, kind } of tables) {
    const what = kind === "S" ? "last_value, is_called" : "(t.*)::text";
    content.push([name, await query(connection, `SELECT ${what} FROM ${name} t ORDER BY 1`)]);
  }
  return content;
}

async function findTrouble(connection: Connection): Promise<unknown[]> {
  const store = await openStoreAt(connection);
  const { findings } = await auditLedger(store.database);
  await store.close();
  return findings.filter(({ verdict }) => verdict !== "sound");
}

/** A copy of the folder with the older data. */
async function copyAs(name: string): Promise<string> {
  const dataDir = join(trial.folder, name);
  await promisify(execFile)("cp", ["-a", older, dataDir]);
  return dataDir;
}

const versionIn = (dataDir: string, cluster = "cluster") =>
  readFile(join(dataDir, "postgres", cluster, "PG_VERSION"), "utf8");
const namesIn = async (dataDir: string) =>
  (await readdir(join(dataDir, "postgres")))
    .filter((name) => !/^(binaries-|gateway-|\.s\.)/.test(name))
    .toSorted();

beforeAll(async () => {
  trial = await openTrial();
  older = join(trial.folder, "older");
  const postgres = await trial.start(older, () => undefined, { packageName: OLDER, retainAfterMs: 0 });
  const store = await openStoreAt(postgres.connection);
  settle = await priceSettlements(store);
  const traffic = await openTraffic(store, settle);
  for (const account of [0, 1]) {
    await traffic.take({ act: "grant", account, amount: 500n });
    await traffic.take({ act: "lease", account, instance: account, amount: 300n });
    await traffic.take({ act: "charge", account, instance: account, costs: [7n, 11n, 13n] });
    await sealLedger(store.database);
  }
  await traffic.take({ act: "leave", instance: 0 });
  await store.database.query("INSERT INTO settings VALUES ('odd', to_jsonb($1::text)), ('none', 'null')", [
    ODD,
  ]);
  await store.database.query(
    "UPDATE requests SET detail = json_build_object('text', $1::text), images = NULL, latency_ms = 0.1 + 0.2",
    [ODD],
  );
  await traffic.close();
  before = await contentOf(postgres.connection);
  await store.close();
  await vi.waitFor(
    async () => expect(await findRetainedBinaries(join(older, "postgres"), "17")).toBeDefined(),
    {
      timeout: 30_000,
    },
  );
  await postgres.stop();
}, 120_000);
afterEach(() => trial.settle());
afterAll(() => trial.clear());

describe("data of an older PostgreSQL", { timeout: 120_000 }, () => {
  it("is brought over as it was, and the old files are kept aside", async () => {
    const dataDir = await copyAs("plain");
    const postgres = await trial.start(dataDir);
    const { connection } = postgres;
    expect(await query(connection, "SHOW server_version_num")).toEqual([
      { server_version_num: expect.stringMatching(/^18/) },
    ]);
    expect(await contentOf(connection)).toEqual(before);
    expect(await findTrouble(connection)).toEqual([]);
    expect(await namesIn(dataDir)).toEqual(["cluster", "cluster-17"]);
    expect(await versionIn(dataDir, "cluster-17")).toBe("17\n");
    expect(postgres.notes).toEqual([
      expect.stringMatching(/PostgreSQL 17\. The old files are kept in .*cluster-17; delete that folder/),
    ]);

    // What comes after it is sealed too, with guards in force again.
    const store = await openStoreAt(connection);
    const traffic = await openTraffic(store, settle);
    await traffic.take({ act: "grant", account: 0, amount: 50n });
    expect(await sealLedger(store.database)).toBeGreaterThan(0);
    await traffic.take({ act: "lease", account: 0, instance: 0, amount: 50n });
    await traffic.take({ act: "charge", account: 0, instance: 0, costs: [1n, 2n] });
    await traffic.close();
    expect(await sealLedger(store.database)).toBeGreaterThan(0);
    await expect(store.database.query("DELETE FROM ledger_transfers")).rejects.toThrow("append-only");
    const strays =
      "INSERT INTO webhooks (id, account_id, url, may_dial_private, description, sealed_secret) VALUES (gen_random_uuid(), gen_random_uuid(), '', false, '', '')";
    await expect(store.database.query(strays)).rejects.toThrow("foreign key");
    await store.close();
    expect(await findTrouble(connection)).toEqual([]);
    await postgres.stop();

    await rm(join(dataDir, "postgres", "cluster-17"), { recursive: true });
    expect((await trial.start(dataDir)).notes).toEqual([]);
  });

  it("survives a kill at any moment: the next start begins anew, or goes on", async () => {
    const dataDir = await copyAs("killed");
    for (const [dieAt, left] of [
      ["copying", ["cluster", "upgrade"]],
      ["filled", ["cluster", "upgrade"]],
      ["set aside", ["cluster-17", "upgrade"]],
    ] as const) {
      const gateway = trial.spawnGateway(dataDir, { dieAt });
      expect(await once(gateway, "exit")).toEqual([null, "SIGKILL"]);
      expect(await namesIn(dataDir)).toEqual(left);
      expect(await versionIn(dataDir, left[0])).toBe("17\n");
    }
    const postgres = await trial.start(dataDir);
    expect(await contentOf(postgres.connection)).toEqual(before);
    expect(await namesIn(dataDir)).toEqual(["cluster", "cluster-17"]);
    await postgres.stop();
    expect(await processesOn(dataDir)).toEqual([]);
  });

  it("is left alone by those who only look, and where it holds what can't be brought over", async () => {
    const dataDir = await copyAs("refused");
    const look = startEmbeddedPostgres({ dataDir, log: () => undefined, readOnly: true });
    await expect(look).rejects.toThrow("Start the service once");
    const first = await trial.start(dataDir, () => undefined, { packageName: OLDER });
    await query(first.connection, "CREATE SCHEMA mine; CREATE TABLE mine.notes (body text)");
    await first.stop();

    await expect(trial.start(dataDir)).rejects.toThrow(/can't be brought over.*untouched.*mine\.notes/s);
    expect(await namesIn(dataDir)).toEqual(["cluster"]);
    expect(await processesOn(dataDir)).toEqual([]);
    const again = await trial.start(dataDir, () => undefined, { packageName: OLDER });
    expect(await contentOf(again.connection)).toEqual(before);
  });
});
