import { chown, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  connectionOf,
  finish,
  kill,
  openTrial,
  query,
  type Trial,
} from "../../../server/test/support/embedded-trial.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import { EmbeddedPostgresError } from "./errors.ts";

const isRoot = process.getuid?.() === 0;
const unprivileged = isRoot ? { uid: 65534, gid: 65534 } : {};

let trial: Trial;
let shared: string;
beforeAll(async () => {
  trial = await openTrial();
  // Most tests share a cluster, because creating one takes a second. Its name holds every character that could be taken
  // for a separator.
  shared = join(trial.folder, `shared, "odd" 'name'`);
});
afterEach(() => trial.settle());
afterAll(() => trial.clear());

describe("startEmbeddedPostgres", () => {
  it("creates a durable, private database on the first start and keeps its data for the second", async () => {
    const first = await trial.start(shared);
    expect(first.notes).toEqual([]);
    await query(first.connection, "CREATE TABLE deposit (credits int); INSERT INTO deposit VALUES (25)");
    const [settings] = await query(
      first.connection,
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
        current_setting('full_page_writes') AS pages, current_setting('data_checksums') AS checksums,
        current_setting('server_encoding') AS encoding, current_setting('listen_addresses') AS addresses,
        current_setting('wal_segment_size') AS segment,
        (SELECT datlocale FROM pg_database WHERE datname = current_database()) AS locale`,
    );
    expect(settings).toEqual({
      fsync: "on",
      commit: "on",
      pages: "on",
      checksums: "on",
      encoding: "UTF8",
      addresses: "",
      segment: "1MB",
      locale: "C.UTF-8",
    });
    expect((await stat(first.connection.host)).mode & 0o777).toBe(0o700);
    await Promise.all([first.stop(), first.stop()]);
    await first.stop();
    expect(await readdir(join(shared, "postgres"))).toEqual(["cluster"]);

    const second = await trial.start(shared);
    expect(await query(second.connection, "SELECT credits FROM deposit")).toEqual([{ credits: 25 }]);
  });

  it("logs errors, but neither information nor user data", async () => {
    const lines: string[] = [];
    const postgres = await trial.start(shared, (line) => lines.push(line));
    await query(postgres.connection, "CREATE TABLE letter (body text PRIMARY KEY)");
    const insert = "INSERT INTO letter VALUES ('between us')";
    await query(postgres.connection, insert);
    await expect(query(postgres.connection, insert)).rejects.toThrow("duplicate key");
    await postgres.stop();
    expect(lines).toEqual(['ERROR:  duplicate key value violates unique constraint "letter_pkey"']);
  });

  it("refuses a second gateway on the same folder and names the first one's pid", async () => {
    const gateway = trial.spawnGateway(shared);
    const connection = await connectionOf(gateway);
    const refusal = await startEmbeddedPostgres({ dataDir: shared, log: () => undefined }).catch(String);
    expect(refusal).toContain(`process ${gateway.pid})`);
    expect(await query(connection, "SELECT credits FROM deposit")).toEqual([{ credits: 25 }]);
    await finish(gateway);
  });

  it("refuses data of another major version and leaves it untouched", async () => {
    const mark = join(shared, "postgres", "cluster", "PG_VERSION");
    const original = await readFile(mark, "utf8");
    await writeFile(mark, "17\n");
    const before = await readdir(join(shared, "postgres", "cluster"));
    const refusal = await trial.start(shared).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(EmbeddedPostgresError);
    expect(String(refusal)).toMatch(/written by PostgreSQL 17.*untouched/s);
    expect(await readdir(join(shared, "postgres", "cluster"))).toEqual(before);
    await rm(mark);
    await expect(trial.start(shared)).rejects.toThrow("no complete PostgreSQL data folder");
    await writeFile(mark, original);
    const postgres = await trial.start(shared);
    expect(await query(postgres.connection, "SELECT count(*)::int AS rows FROM deposit")).toEqual([{ rows: 1 }]);
  });

  it("reports the server's message when it does not start", async () => {
    const control = join(shared, "postgres", "cluster", "postgresql.conf");
    const original = await readFile(control, "utf8");
    await writeFile(control, `${original}\nno_such_setting = 1\n`);
    const refusal = await trial.start(shared).catch((error: unknown) => error);
    expect(String(refusal)).toMatch(/did not start.*no_such_setting/s);
    await writeFile(control, original);
    await trial.start(shared);
  });

  it("starts over when the first start was killed", async () => {
    const dataDir = join(trial.folder, "interrupted");
    const home = join(dataDir, "postgres");
    const gateway = trial.spawnGateway(dataDir);
    const unfinished = await vi.waitFor(
      async () => {
        const name = (await readdir(home)).find((entry) => entry.startsWith("cluster."));
        if (name === undefined) throw new Error("initdb has not begun.");
        return name;
      },
      { timeout: 240_000, interval: 2 },
    );
    await kill(gateway);
    expect(await readdir(home)).not.toContain("cluster");

    const first = await trial.start(dataDir);
    await query(first.connection, "CREATE TABLE deposit (credits int)");
    await first.stop();
    await trial.start(dataDir);
    expect(await readdir(home)).not.toContain(unfinished);
  });

  it("puts its socket in a short private folder when the data folder's path is long", async () => {
    const dataDir = join(trial.folder, "long".repeat(40));
    const postgres = await trial.start(dataDir);
    const { host } = postgres.connection;
    expect(host.startsWith(dataDir)).toBe(false);
    expect((await stat(host)).mode & 0o777).toBe(0o700);
    expect(await query(postgres.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await postgres.stop();
    await expect(stat(host)).rejects.toThrow("ENOENT");
  });

  it("starts as an ordinary user, whose data root can open later without changing its owner", async () => {
    const dataDir = await mkdtemp(join(trial.folder, "user-"));
    if (isRoot) await chown(dataDir, 65534, 65534);
    const gateway = trial.spawnGateway(dataDir, unprivileged);
    await query(await connectionOf(gateway), "CREATE TABLE deposit AS SELECT 28 AS credits");
    await finish(gateway);
    const postgres = await trial.start(dataDir);
    expect(await query(postgres.connection, "SELECT credits FROM deposit")).toEqual([{ credits: 28 }]);
    await postgres.stop();

    const again = trial.spawnGateway(dataDir, unprivileged);
    expect(await query(await connectionOf(again), "SELECT credits FROM deposit")).toEqual([{ credits: 28 }]);
    await finish(again);
  });

  it("works from a private folder as root, with the data elsewhere and a note about it", async () => {
    const dataDir = await mkdtemp(isRoot ? "/root/trunkline-trial-" : join(trial.folder, "private-"));
    trial.own(dataDir);
    const postgres = await trial.start(dataDir);
    trial.own(await realpath(join(dataDir, "postgres")));
    const sheltered = expect.stringContaining("/var/lib/trunkline/");
    expect(postgres.notes).toEqual(isRoot ? [sheltered] : []);
    expect(await query(postgres.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });
});
