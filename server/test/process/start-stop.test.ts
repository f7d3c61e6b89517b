import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, inject, it } from "vitest";
import { ProcessSandbox } from "../support/spawned-service.ts";

const sandbox = new ProcessSandbox();

afterAll(() => sandbox.clear());

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const pidOfPostgres = async (dataDir: string) =>
  Number((await readFile(join(dataDir, "postgres", "cluster", "postmaster.pid"), "utf8")).split("\n")[0]);

describe("a service that is killed", () => {
  it.each(["1", "2"])("takes its PostgreSQL with it, with %s workers", async (workers) => {
    const folder = await sandbox.folder();
    const dataDir = join(folder, "data");
    const service = sandbox.start(folder, { TRUNKLINE_DATA_DIR: dataDir, TRUNKLINE_WORKERS: workers });
    await service.url();
    const pid = await pidOfPostgres(dataDir);
    expect(isRunning(pid)).toBe(true);
    service.signal("SIGKILL");
    await service.ended;
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

describe("a service that is stopped while it starts", () => {
  it("ends in order, and leaves nothing running", async () => {
    const folder = await sandbox.folder();
    const service = sandbox.start(folder, { TRUNKLINE_DATA_DIR: join(folder, "data") });
    // The first start makes a cluster, which takes a while.
    await new Promise((resolve) => setTimeout(resolve, 700));
    service.signal("SIGTERM");
    const ended = await service.ended;
    // A machine under load may not have come as far as listening for signals.
    expect([0, "SIGTERM"]).toContain(ended);
    expect(service.said).not.toContain("ready at");
  });
});

describe("a start that fails", () => {
  it.each<[string, Record<string, string>, string]>([
    [
      "a database that refuses",
      { DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" },
      "The database can't be reached",
    ],
    [
      "a database on an unknown host",
      { DATABASE_URL: "postgres://nobody@no.such.host.invalid/none" },
      "can't be resolved",
    ],
    ["an address of another machine", { HOST: "203.0.113.1" }, "HOST is not an address of this machine"],
    ["a host name that is none", { HOST: "no.such.host.invalid" }, "can't be resolved"],
    ["a data folder that is a file", { TRUNKLINE_DATA_DIR: "occupied/data" }, "can't be opened"],
    ["a folder of something else", { TRUNKLINE_DATA_DIR: "foreign" }, "foreign/postgres"],
    [
      "a wrong safety setting",
      { TRUNKLINE_CONFIG: "unsafe.yaml" },
      "unsafe.yaml, line 3: safety.categories.hate must be one of: refuse, redact, report, allow, or must be of type object.",
    ],
    ["a database that is not there", { DATABASE_URL: "missing" }, "does not exist"],
  ])("says in a sentence what to do about %s", async (_what, environment, sentence) => {
    const folder = await sandbox.folder();
    await writeFile(join(folder, "occupied"), "not a folder");
    await writeFile(join(folder, "unsafe.yaml"), "safety:\n  categories:\n    hate: block\n");
    await mkdir(join(folder, "foreign", "postgres", "cluster"), { recursive: true });
    await writeFile(join(folder, "foreign", "postgres", "cluster", "notes.txt"), "not a database");
    const { host, port, user } = inject("postgres");
    const missing = `postgres://${user}@localhost:${port}/no_such_database?host=${encodeURIComponent(host)}`;
    const service = sandbox.start(folder, {
      TRUNKLINE_DATA_DIR: join(folder, "data"),
      TRUNKLINE_SECRET: "a secret of the tests' own",
      ...environment,
      ...(environment.DATABASE_URL === "missing" ? { DATABASE_URL: missing } : {}),
    });
    expect(await service.ended).toBe(1);
    expect(service.said).toContain("Trunkline did not start.");
    expect(service.said).toContain(sentence);
    expect(service.said).not.toMatch(/^\s+at /m);
  });
});
