import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  block,
  openDepositTrial,
  processesOn,
  query,
  serverPidIn,
  type Trial,
} from "../../../server/test/support/embedded-trial.ts";
import type { Connection } from "./connection.ts";
import { startEmbeddedPostgres } from "./embedded-postgres.ts";
import type { ServerProcess } from "./server-process.ts";
import { superviseServer } from "./supervised-server.ts";

/** Resolves with the answer once the server is there. */
const ask = (connection: Connection, sql: string) =>
  vi.waitFor(() => query(connection, sql), { timeout: 30_000, interval: 50 });

describe("a server that dies", { timeout: 60_000 }, () => {
  let trial: Trial;
  let shared: string;
  beforeAll(async () => {
    ({ trial, shared } = await openDepositTrial());
  }, 60_000);
  afterEach(() => trial.settle());
  afterAll(() => trial.clear());

  const kill = async () => process.kill(await serverPidIn(shared), "SIGKILL");

  it("comes back by itself at the same place, with all that was committed, however often", async () => {
    const lines: string[] = [];
    const { connection } = await trial.start(shared, (line) => lines.push(line));
    for (const credits of [26, 27]) {
      await query(connection, `INSERT INTO deposit VALUES (${credits})`);
      await kill();
      expect(await ask(connection, "SELECT max(credits) FROM deposit")).toEqual([{ max: credits }]);
    }
    // On a slow machine the dead server's helpers may still be there at the first try.
    expect(lines.filter((line) => !line.includes("is still away"))).toEqual([
      "The embedded PostgreSQL ended on its own (signal SIGKILL). It is started again.",
      "The embedded PostgreSQL is back.",
    ]);
  });

  it("waits for a helper that is still at work, rather than share the data with it", async () => {
    const { connection } = await trial.start(shared);
    const work = "DO $$ BEGIN WHILE clock_timestamp() < now() + interval '1 s' LOOP END LOOP; END $$";
    const abandoned = query(connection, work).catch(() => undefined);
    await vi.waitFor(async () => {
      const busy = "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'DO %'";
      expect(await query(connection, busy)).toHaveLength(1);
    });
    await kill();
    expect(await ask(connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await abandoned;
  });

  it("is tried until what is in the way is gone, and says each reason once", async () => {
    const lines: string[] = [];
    const { connection } = await trial.start(shared, (line) => lines.push(line));
    const clear = await block(shared);
    await kill();
    await vi.waitFor(() => expect(lines).toHaveLength(2), { timeout: 20_000 });
    const refusal = await startEmbeddedPostgres({ dataDir: shared, log: () => undefined }).catch(String);
    expect(refusal).toContain(`Another gateway (process ${process.pid})`);
    await clear();
    expect(await ask(connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    // It answers a moment before that is said.
    await vi.waitFor(() => expect(lines).toHaveLength(3), { timeout: 20_000 });
    expect(lines).toEqual([
      expect.stringContaining("(signal SIGKILL)"),
      expect.stringMatching(/^The embedded PostgreSQL is still away: .*pg_control/),
      "The embedded PostgreSQL is back.",
    ]);
  });

  it("can be told to stay away, and leaves nothing behind", async () => {
    const lines: string[] = [];
    const postgres = await trial.start(shared, (line) => lines.push(line));
    const clear = await block(shared);
    await kill();
    await vi.waitFor(() => expect(lines).toHaveLength(2), { timeout: 20_000 });
    await postgres.stop();
    await clear();
    expect(await processesOn(shared)).toEqual([]);
    await trial.start(shared);
  });
});

describe("keepRunning", () => {
  /** A server that ends when a test says so, or when it is stopped. */
  function fakeServer() {
    let end: (how: string) => void = () => undefined;
    const ended = new Promise<string>((resolve) => {
      end = resolve;
    });
    const stop = vi.fn(async () => end("exit code 0"));
    const server: ServerProcess = { pid: 1, ended, spawnFailed: ended as never, lastLines: () => "", stop };
    return { server, end, stop };
  }

  it("stops a server that comes back in the very moment in which it is told to stay away", async () => {
    const [first, second] = [fakeServer(), fakeServer()];
    let comeBack: (server: ServerProcess) => void = () => undefined;
    const asked = vi.fn(
      () =>
        new Promise<ServerProcess>((resolve) => {
          comeBack = resolve;
        }),
    );
    const running = superviseServer(first.server, asked, () => undefined);
    first.end("signal SIGKILL");
    await vi.waitFor(() => expect(asked).toHaveBeenCalled());
    const stopped = running.stop();
    comeBack(second.server);
    await stopped;
    expect(second.stop).toHaveBeenCalled();
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
