import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { newId } from "@trunkline/core/id.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openTrial, query, type Trial } from "../../../test/support/embedded-trial.ts";
import { type FreshStore, openFreshStore, openStoreAt } from "../../../test/support/fresh-store.ts";
import { priceSettlements } from "../../../test/support/priced-settlements.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import type { PostgresLedger } from "../../store/ledger/ledger.ts";
import { sealLedger } from "../../store/ledger/seal-ledger.ts";
import type { StoreLocation } from "../config/config.ts";
import { backupCommand } from "./backup.ts";
import { readManifest, writeManifest } from "./backup-manifest.ts";
import { restoreCommand } from "./restore.ts";

const SECRET = "the-secret-of-the-service";
type Command = typeof backupCommand;

async function run(command: Command, site: Partial<StoreLocation>, ...args: string[]) {
  const lines: string[] = [];
  const whole = {
    databaseUrl: undefined,
    otherDatabaseUrls: [],
    dataDir: "/nowhere",
    walArchive: undefined,
    secret: undefined,
    ...site,
  };
  const code = await command(
    args,
    () => whole,
    (line) => lines.push(line),
  );
  return { code, text: lines.join("\n") };
}

/** As a service at work does: without a pause the load would take most of the processor from the commands that are tested, and each of them would have its rows to copy, restore and audit. */
const BETWEEN_BATCHES_MS = 10;

/** Settles requests in batches, as a service does, until it is stopped. */
async function startLoad(store: FreshStore, ledger: PostgresLedger, accountId: string) {
  const settle = await priceSettlements(store);
  const written: string[] = [];
  let isOver = false;
  const running = (async () => {
    while (!isOver) {
      const batch = Array.from({ length: 8 }, () =>
        settle({ accountId, keyId: accountId, cost: 3n, requestId: newId(), createdAt: new Date() }),
      );
      await ledger.write(batch);
      written.push(...batch.map(({ requestId }) => requestId));
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_BATCHES_MS));
    }
  })();
  return {
    written,
    async stop() {
      isOver = true;
      await running;
    },
  };
}

const BALANCES = "SELECT id::text, kind, balance::text FROM ledger_accounts ORDER BY id";

describe("trunkline backup and restore of the embedded PostgreSQL, while it is used", () => {
  let trial: Trial;
  let source: string;
  let archive: string;
  let backup: string;
  let atBackup: { readonly before: readonly string[]; readonly all: readonly string[] };
  let moment: { readonly at: Date; readonly balances: unknown[] };
  let end: unknown[];

  const target = async (name: string) => {
    const dataDir = join(trial.folder, name);
    await mkdir(dataDir, { recursive: true });
    await copyFile(join(source, "secret"), join(dataDir, "secret"));
    return dataDir;
  };

  beforeAll(async () => {
    trial = await openTrial();
    source = join(trial.folder, "source");
    archive = join(trial.folder, "it's 100 % archive");
    backup = join(trial.folder, "back-ups", "first");
    await mkdir(source);
    await writeFile(join(source, "secret"), `${SECRET}\n`);
    const { startEmbeddedPostgres } = await import("@trunkline/local-postgres/embedded-postgres.ts");
    const postgres = await startEmbeddedPostgres({ dataDir: source, walArchive: archive, log: () => undefined });
    const store = await openStoreAt(postgres.connection);
    const accountId = await store.makeAccount(1_000_000_000n);
    const load = await startLoad(store, await store.openLedger(), accountId);
    await vi.waitFor(() => expect(load.written.length).toBeGreaterThan(100), { timeout: 60_000 });

    const before = [...load.written];
    const made = await run(backupCommand, { dataDir: source }, backup);
    expect(made.text).toContain(`The back-up in ${backup} is complete`);
    await load.stop();
    atBackup = { before, all: [...load.written] };

    await sealLedger(store.database);
    const [now] = await store.database.query<{ at: Date }>("SELECT clock_timestamp() AS at");
    moment = { at: now?.at ?? new Date(), balances: await query(postgres.connection, BALANCES) };
    const more = await startLoad(store, await store.openLedger(), accountId);
    await vi.waitFor(() => expect(more.written.length).toBeGreaterThan(50), { timeout: 60_000 });
    await more.stop();
    end = await query(postgres.connection, BALANCES);
    const [segment] = (await query(postgres.connection, "SELECT pg_walfile_name(pg_switch_wal()) AS name")) as {
      name: string;
    }[];
    await vi.waitFor(async () => expect(await readdir(archive)).toContain(`${segment?.name}.gz`), { timeout: 60_000 });
    await store.close();
    await postgres.stop();
  }, 240_000);
  afterAll(async () => {
    await trial.settle();
    await trial.clear();
  });

  const open = async <Result>(dataDir: string, look: (store: FreshStore) => Promise<Result>) => {
    const postgres = await trial.start(dataDir);
    const store = await openStoreAt(postgres.connection);
    const result = await look(store);
    await store.close();
    await postgres.stop();
    return result;
  };

  it("restores everything that was answered before the back-up, with a sound ledger", async () => {
    const dataDir = await target("restored");
    const { code, text } = await run(restoreCommand, { dataDir }, backup);
    expect(text).toContain("The ledger is sound");
    expect(code).toBe(0);
    const rows = await open(dataDir, ({ database }) => database.query<{ id: string }>("SELECT id FROM requests"));
    const [ids, all] = [new Set(rows.map(({ id }) => id)), new Set(atBackup.all)];
    expect(atBackup.before.filter((id) => !ids.has(id))).toEqual([]);
    expect([...ids].filter((id) => !all.has(id))).toEqual([]);

    // What it archives from now on has other names than the log of the history that was backed up.
    const [line] = await open(dataDir, ({ database }) =>
      database.query("SELECT timeline_id FROM pg_control_checkpoint()"),
    );
    expect(line).toEqual({ timeline_id: 2 });

    const again = await run(restoreCommand, { dataDir }, backup);
    expect(again.code).toBe(2);
    expect(again.text).toContain("There is a store in");
  });

  it("restores the balances of a later moment by the archived log", async () => {
    const dataDir = await target("moment");
    const at = moment.at.toISOString();
    const { code, text } = await run(restoreCommand, { dataDir }, backup, "--wal", archive, "--at", at);
    expect(text).toContain("The ledger is sound");
    expect(code).toBe(0);
    expect(await open(dataDir, ({ database }) => database.query(BALANCES))).toEqual(moment.balances);
  });

  it("refuses a moment that the log does not reach, one before the back-up, and a folder without a log", async () => {
    const dataDir = await target("refused");
    const tooLate = await run(restoreCommand, { dataDir }, backup, "--wal", archive, "--at", "2099-01-01T00:00:00Z");
    expect(tooLate.text).toContain("ends before 2099-01-01T00:00:00.000Z");
    const tooEarly = await run(restoreCommand, { dataDir }, backup, "--wal", archive, "--at", "2020-01-01T00:00:00Z");
    expect(tooEarly.text).toContain("later than --at. Choose an earlier back-up.");
    const noLog = await run(restoreCommand, { dataDir }, backup, "--wal", trial.folder);
    expect(noLog.text).toContain("is no folder with an archived log");
    expect([tooLate.code, tooEarly.code, noLog.code]).toEqual([2, 2, 2]);
    // What was begun is gone: the next one finds no store, and replays all of the log.
    const whole = await run(restoreCommand, { dataDir }, backup, "--wal", archive);
    expect(whole.code, whole.text).toBe(0);
    expect(await open(dataDir, ({ database }) => database.query(BALANCES))).toEqual(end);
  });

  it("refuses another secret or none", async () => {
    const dataDir = join(trial.folder, "no-secret");
    const none = await run(restoreCommand, { dataDir }, backup);
    expect(none.text).toContain("The secret of the service is missing");
    const other = await run(restoreCommand, { dataDir, secret: new Secret("quite-another-secret") }, backup);
    expect(other.text).toContain("This is another secret than the one of the back-up");
    expect([none.code, other.code]).toEqual([2, 2]);
  });

  it("refuses a back-up that is damaged, incomplete, of another PostgreSQL or of none", async () => {
    const dataDir = await target("damaged");
    const attempt = async () => {
      const { code, text } = await run(restoreCommand, { dataDir }, backup);
      expect(code).toBe(2);
      return text;
    };
    /** What a restore says while a file has another content; undefined: while it is missing. */
    const withContent = async (path: string, change: (content: Buffer) => Buffer | string | undefined) => {
      const file = join(backup, path);
      const content = await readFile(file);
      const other = change(content);
      await (other === undefined ? rm(file) : writeFile(file, other));
      const text = await attempt();
      await writeFile(file, content);
      return text;
    };
    const version = "content/PG_VERSION.gz";
    expect(await withContent(version, (content) => content.subarray(0, 12))).toContain("it can't be read");
    expect(await withContent(version, () => undefined)).toContain(
      "PG_VERSION.gz is not as it was written (it is missing)",
    );
    expect(await withContent(version, () => gzipSync("17\n"))).toContain("its checksum is another");
    const edit = (from: string, to: string) => withContent("manifest.json", (text) => String(text).replace(from, to));
    expect(await withContent("manifest.json", () => undefined)).toContain("holds no whole back-up");
    expect(await withContent("manifest.json", () => "{}")).toContain("holds no back-up of Trunkline");
    expect(await edit('"postgres":"18"', '"postgres":"17"')).toContain("was changed or cut off");
    expect(await edit('"version":1', '"version":2')).toContain("has the form 2");

    const { format: _format, version: _version, ...manifest } = await readManifest(backup);
    const older = join(trial.folder, "back-ups", "older");
    await mkdir(older);
    await symlink(join(backup, "content"), join(older, "content"));
    await writeManifest(older, { ...manifest, postgres: "17" } as typeof manifest);
    const { code, text } = await run(restoreCommand, { dataDir }, older);
    expect(text).toContain("holds files of PostgreSQL 17, and this gateway brings PostgreSQL 18");
    expect(code).toBe(2);
    await rm(older, { recursive: true });
  });

  it("refuses a database of one's own for files, and a full folder for a back-up", async () => {
    const own = await run(restoreCommand, { databaseUrl: "postgres://db/x" }, backup);
    expect(own.text).toContain("Restore it into a data folder");
    const full = await run(backupCommand, { dataDir: source }, backup);
    expect(full).toEqual({ code: 2, text: expect.stringContaining("is not empty. Name a new folder") });
    expect((await readdir(join(backup, ".."))).toSorted()).toEqual(["first"]);
  });

  it("copies the rows into a database of one's own, whose user may do nothing but make tables", async () => {
    const rows = join(trial.folder, "back-ups", "rows");
    expect((await run(backupCommand, { dataDir: source }, rows, "--rows")).code).toBe(0);
    const database = await createTestDatabase();
    try {
      const role = `plain_${newId().replaceAll("-", "")}`;
      await query(database.address, `CREATE ROLE ${role} LOGIN; GRANT CREATE, USAGE ON SCHEMA public TO ${role}`);
      const databaseUrl = database.url.replace(/\/\/[^@]+@/, `//${role}@`);
      const site = { databaseUrl, secret: new Secret(SECRET) };
      const { code, text } = await run(restoreCommand, site, rows);
      expect(text).toContain("The ledger is sound");
      expect(code).toBe(0);
      expect(await query(database.address, BALANCES)).toEqual(end);

      const again = await run(restoreCommand, site, rows);
      expect(again.text).toContain("The database is not empty");
      expect(again.code).toBe(2);
      await query(database.address, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
    } finally {
      await database.drop();
    }
  });
});

describe("trunkline backup and restore of a database of one's own", () => {
  let store: FreshStore;
  let folder: string;
  let url: string;
  const others: TestDatabase[] = [];
  beforeAll(async () => {
    store = await openFreshStore();
    folder = await mkdtemp(join(tmpdir(), "trunkline-backup-"));
    await chmod(folder, 0o755);
    const { host, port, user, database } = store.address;
    url = `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  });
  afterAll(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
    for (const other of others) await other.drop();
  });

  it("holds the rows of one moment, whatever is written meanwhile", async () => {
    const accountId = await store.makeAccount(1_000_000_000n);
    const load = await startLoad(store, await store.openLedger(), accountId);
    await vi.waitFor(() => expect(load.written.length).toBeGreaterThan(20), { timeout: 60_000 });
    const made = await run(backupCommand, { databaseUrl: url }, join(folder, "rows"));
    await load.stop();
    expect(made.text).toContain("TRUNKLINE_SECRET was not set");
    expect(made.code).toBe(0);
    // Restored beside it, and into a data folder.
    const database = await createTestDatabase();
    others.push(database);
    const beside = await run(restoreCommand, { databaseUrl: database.url }, join(folder, "rows"));
    expect(beside.text).toContain("The ledger is sound");
    const embedded = await run(restoreCommand, { dataDir: join(folder, "data") }, join(folder, "rows"));
    expect(embedded.text).toContain("The ledger is sound");
    expect([beside.code, embedded.code]).toEqual([0, 0]);
  });

  it("refuses to roll it forward, a schema from the future, and a database that is not Trunkline's", async () => {
    const rolled = await run(restoreCommand, { databaseUrl: url }, join(folder, "rows"), "--wal", folder);
    expect(rolled.text).toContain("can't be rolled forward");
    await store.database.query("INSERT INTO schema_migrations VALUES (9999, 'future')");
    expect((await run(backupCommand, { databaseUrl: url }, join(folder, "future"))).code).toBe(0);
    const future = await run(restoreCommand, { databaseUrl: url }, join(folder, "future"));
    expect(future.text).toContain("newer version of Trunkline");
    const empty = await createTestDatabase();
    others.push(empty);
    const nothing = await run(backupCommand, { databaseUrl: empty.url }, join(folder, "nothing"));
    expect(nothing.text).toContain("holds no data of Trunkline");
    expect([rolled.code, future.code, nothing.code]).toEqual([2, 2, 2]);
    expect((await readdir(folder)).toSorted()).toEqual(["data", "future", "rows"]);
  });

  it("refuses a disk that is too small, and leaves nothing behind", async () => {
    const small = join(folder, "small");
    await mkdir(small);
    const mounted = await promisify(execFile)("mount", ["-t", "tmpfs", "-o", "size=200k", "tmpfs", small]).then(
      () => true,
      () => false,
    );
    // Only root can make a small disk; elsewhere the refusal of the figures is what is left to see.
    if (!mounted) return;
    try {
      const { code, text } = await run(backupCommand, { databaseUrl: url }, join(small, "backup"));
      expect(text).toContain("There is not enough disk for");
      expect(code).toBe(2);
      expect(await readdir(small)).toEqual([]);
      const restored = await run(restoreCommand, { dataDir: join(small, "data") }, join(folder, "rows"));
      expect(restored.text).toContain("There is not enough disk for");
    } finally {
      await promisify(execFile)("umount", [small]);
    }
  });

  it.each([
    [[], "Name"],
    [["one", "two"], "Name"],
    [["one", "--fast"], "--fast"],
  ])("explains itself where the words are wrong: %s", async (args, words) => {
    for (const command of [backupCommand, restoreCommand]) {
      const { code, text } = await run(command, {}, ...args);
      expect(code).toBe(2);
      expect(text).toContain(words);
    }
  });

  it("explains itself, and says what a time must look like", async () => {
    expect(await run(backupCommand, {}, "--help")).toEqual({
      code: 0,
      text: expect.stringContaining("trunkline backup"),
    });
    expect(await run(restoreCommand, {}, "--help")).toEqual({
      code: 0,
      text: expect.stringContaining("trunkline restore"),
    });
    const alone = await run(restoreCommand, {}, "x", "--at", "2026-11-18T12:00:00Z");
    expect(alone.text).toContain("--at needs --wal");
    for (const time of ["yesterday", "2026-11-18T12:00:00", "2026-19-18T12:00:00Z"]) {
      const { code, text } = await run(restoreCommand, {}, "x", "--wal", "w", "--at", time);
      expect(code).toBe(2);
      expect(text).toContain("--at");
    }
  });
});
