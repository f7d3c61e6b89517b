import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  connectionOf,
  kill,
  openDepositTrial,
  query,
  serverPidIn,
  type Trial,
} from "../../../server/test/support/embedded-trial.ts";
import { identifyProcess } from "./process.ts";

const unprivileged = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

let trial: Trial;
let shared: string;
beforeAll(async () => {
  ({ trial, shared } = await openDepositTrial());
});
afterEach(() => trial.settle());
afterAll(() => trial.clear());

const groupOf = (pid: number) =>
  Number(execFileSync("ps", ["-o", "pgid=", "-p", String(pid)], { encoding: "utf8" }).trim());

describe("after a crash", () => {
  it("does not receive Ctrl-C from the terminal, so that the gateway can finish first", async () => {
    const gateway = trial.spawnGateway(shared, { detached: true });
    await connectionOf(gateway);
    // A terminal signals the whole foreground process group.
    expect(groupOf(gateway.pid ?? 0)).toBe(gateway.pid);
    expect(groupOf(await serverPidIn(shared))).not.toBe(gateway.pid);
    await kill(gateway);
    await trial.start(shared);
  });

  it("starts after a killed gateway, whose server is stopped or about to be, and keeps its commits", async () => {
    const gateway = trial.spawnGateway(shared);
    await query(await connectionOf(gateway), "INSERT INTO deposit VALUES (27)");
    const leftover = await serverPidIn(shared);
    await kill(gateway);
    const postgres = await trial.start(shared);
    expect(await identifyProcess(leftover)).toBeUndefined();
    expect(await serverPidIn(shared)).not.toBe(leftover);
    expect(await query(postgres.connection, "SELECT max(credits) FROM deposit")).toEqual([{ max: 27 }]);
  });

  it("starts although the pid of a dead server now belongs to another program, which keeps running", async () => {
    const bystander = spawn("/bin/sleep", ["600"], unprivileged);
    trial.own(bystander);
    await once(bystander, "spawn");
    const cluster = join(shared, "postgres", "cluster");
    const { uid, gid } = await stat(cluster);
    for (const file of [join(cluster, "postmaster.pid"), join(shared, "postgres", ".s.PGSQL.5432.lock")]) {
      await writeFile(file, `${bystander.pid}\n${cluster}\n1700000000\n5432\n${shared}\n\n0 0\nready\n`);
      await chown(file, uid, gid);
    }
    const postgres = await trial.start(shared);
    expect(await query(postgres.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    expect(await identifyProcess(bystander.pid ?? 0)).toBeDefined();
  });

  it("starts although a full disk left an empty postmaster.pid", async () => {
    await writeFile(join(shared, "postgres", "cluster", "postmaster.pid"), "");
    const postgres = await trial.start(shared);
    expect(await query(postgres.connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  it("refuses while an unknown process answers on the socket", async () => {
    const foreign = createServer().listen(join(shared, "postgres", ".s.PGSQL.5432"));
    await once(foreign, "listening");
    await expect(trial.start(shared)).rejects.toThrow("another container");
    foreign.close();
    await once(foreign, "close");
  });
});
