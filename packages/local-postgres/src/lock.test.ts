import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EmbeddedPostgresError } from "./errors.ts";
import { identifyProcess } from "./identify-process.ts";
import { acquireLock } from "./lock.ts";

describe("takeLock", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp("/tmp/trunkline-trial-");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("refuses a second holder, names the first one's pid, and lets it in after the release", async () => {
    const first = await acquireLock(folder);
    const refusal = await acquireLock(folder).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(EmbeddedPostgresError);
    expect(String(refusal)).toContain(`process ${process.pid})`);
    await first.release();
    const second = await acquireLock(folder);
    await second.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it("takes over from a process that is gone", async () => {
    const child = spawn(process.execPath, ["-e", ""]);
    await once(child, "exit");
    await writeFile(join(folder, `gateway-${child.pid}-0123456789abcdef-00000000.lock`), "");
    const dataFolderLock = await acquireLock(folder);
    expect(await readdir(folder)).toHaveLength(2);
    await dataFolderLock.removeStale();
    expect(await readdir(folder)).toHaveLength(1);
    await dataFolderLock.release();
  });

  it("takes over when the pid now belongs to another program", async () => {
    await writeFile(join(folder, `gateway-${process.ppid}-0123456789abcdef-00000000.lock`), "");
    const dataFolderLock = await acquireLock(folder);
    expect(await readdir(folder)).toHaveLength(2);
    await dataFolderLock.removeStale();
    expect(await readdir(folder)).toHaveLength(1);
    await dataFolderLock.release();
  });

  it("never lets two in, however many come at once", async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => acquireLock(folder)));
    const dataFolderLocks = outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" ? [outcome.value] : [],
    );
    expect(dataFolderLocks.length).toBeLessThanOrEqual(1);
    for (const dataFolderLock of dataFolderLocks) await dataFolderLock.release();
    expect(await readdir(folder)).toEqual([]);
  });

  it("leaves other files alone", async () => {
    await writeFile(join(folder, "PG_VERSION"), "18\n");
    const dataFolderLock = await acquireLock(folder);
    await dataFolderLock.removeStale();
    await dataFolderLock.release();
    expect(await readdir(folder)).toEqual(["PG_VERSION"]);
  });
});

describe("identifyProcess", () => {
  it("tells two processes apart, stays the same for one, and knows when it is gone", async () => {
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    const alive = await identifyProcess(pid);
    expect(alive).toBeDefined();
    expect(alive).not.toBe(await identifyProcess(process.pid));
    expect(alive).toBe(await identifyProcess(pid));
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(await identifyProcess(pid)).toBeUndefined();
  });
});
