import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureProgram } from "@trunkline/testing/system-package.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readServiceManager } from "./config/service-manager-config.ts";
import { ServiceManager } from "./service-manager.ts";

/** Stands in for systemd: prints what it receives. Closing the descriptor that comes with BARRIER=1 is its answer. */
const RECEIVER = `import socket, sys, array, os
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("open", flush=True)
while True:
    data, more, _, _ = s.recvmsg(4096, 256)
    for _, _, fds in more:
        for fd in array.array("i", fds): os.close(fd)
    print(data.decode().strip().replace("\\n", "; "), flush=True)`;

describe.runIf(process.platform === "linux")("systemd", () => {
  let folder: string;
  let receiver: ChildProcess;
  let told = "";

  beforeEach(async () => {
    ensureProgram("systemd-notify");
    folder = await mkdtemp(join(tmpdir(), "notify-"));
    told = "";
    receiver = spawn("python3", ["-c", RECEIVER, join(folder, "socket")], { stdio: ["ignore", "pipe", "inherit"] });
    receiver.stdout?.on("data", (piece: Buffer) => {
      told += piece.toString();
    });
    await expect.poll(() => told, { timeout: 20_000 }).toContain("open\n");
  });
  afterEach(async () => {
    const ended = once(receiver, "exit");
    receiver.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true });
  });

  it("gets a message when the service serves, one at intervals while it lives, and one when it stops", async () => {
    const errors: unknown[] = [];
    const config = readServiceManager({ NOTIFY_SOCKET: join(folder, "socket"), WATCHDOG_USEC: 300_000 });
    expect(config?.watchdogMs).toBe(300);
    if (config === undefined) return;
    const manager = new ServiceManager(config, (error) => errors.push(error));
    await manager.tellReady();
    expect(told).toMatch(/^READY=1/m);
    await expect.poll(() => told.match(/^WATCHDOG=1/gm)?.length ?? 0, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
    await manager.tellStopping();
    expect(told).toMatch(/^STOPPING=1/m);
    expect(errors).toEqual([]);
  });

  it("that can't be told is a warning, and the service goes on", async () => {
    const errors: unknown[] = [];
    const config = { socket: join(folder, "nowhere"), watchdogMs: undefined };
    await new ServiceManager(config, (error) => errors.push(error)).tellReady();
    expect(errors).toHaveLength(1);
  });

  it("is not told where it did not ask", () => {
    expect(readServiceManager({})).toBeUndefined();
    expect(readServiceManager({ NOTIFY_SOCKET: "/run/x", WATCHDOG_USEC: 0 })?.watchdogMs).toBeUndefined();
  });
});
