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

/** Without the temporary reasons for a late start, which depend on the machine's speed. */
const withoutPassingReasons = (lines: readonly string[]) =>
  lines.filter(
    (line) =>
      !line.includes("the database system is ") && (!line.includes("is still away") || line.includes("pg_control")),
  );

/** Resolves with the answer once the server accepts connections. */
const ask = (connection: Connection, sql: string) =>
  vi.waitFor(() => query(connection, sql), { timeout: 240_000, interval: 50 });

describe("a server that ends unexpectedly", () => {
  let trial: Trial;
  let shared: string;
  beforeAll(async () => {
    ({ trial, shared } = await openDepositTrial());
  });
  afterEach(() => trial.settle());
  afterAll(() => trial.clear());

  const kill = async () => process.kill(await serverPidIn(shared), "SIGKILL");

  it("is restarted at the same address with all commits, every time", async () => {
    const lines: string[] = [];
    const { connection } = await trial.start(shared, (line) => lines.push(line));
    for (const credits of [26, 27]) {
      await query(connection, `INSERT INTO deposit VALUES (${credits})`);
      await kill();
      expect(await ask(connection, "SELECT max(credits) FROM deposit")).toEqual([{ max: credits }]);
    }
    // The server answers a moment before the restart is logged.
    await expect
      .poll(() => withoutPassingReasons(lines))
      .toEqual([
        "The embedded PostgreSQL ended on its own (signal SIGKILL). It is started again.",
        "The embedded PostgreSQL is back.",
      ]);
  });

  it("waits for a child process that still runs, rather than share the data with it", async () => {
    const { connection } = await trial.start(shared);
    // Long enough for the next query to see it on a slow machine.
    const work = "DO $$ BEGIN WHILE clock_timestamp() < now() + interval '4 s' LOOP END LOOP; END $$";
    const abandoned = query(connection, work).catch(() => undefined);
    const busy = "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'DO %'";
    await expect.poll(() => query(connection, busy)).toHaveLength(1);
    await kill();
    expect(await ask(connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await abandoned;
  });

  it("is restarted until the obstacle is gone, and each reason is logged once", async () => {
    const lines: string[] = [];
    const { connection } = await trial.start(shared, (line) => lines.push(line));
    const clear = await block(shared);
    await kill();
    await expect.poll(() => withoutPassingReasons(lines)).toHaveLength(2);
    const refusal = await startEmbeddedPostgres({ dataDir: shared, log: () => undefined }).catch(String);
    expect(refusal).toContain(`Another gateway (process ${process.pid})`);
    await clear();
    expect(await ask(connection, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    // The server answers a moment before the restart is logged.
    await expect
      .poll(() => withoutPassingReasons(lines))
      .toEqual([
        expect.stringContaining("(signal SIGKILL)"),
        expect.stringMatching(/^The embedded PostgreSQL is still away: .*pg_control/),
        "The embedded PostgreSQL is back.",
      ]);
  });

  it("can be stopped while it is down, and leaves no files", async () => {
    const lines: string[] = [];
    const postgres = await trial.start(shared, (line) => lines.push(line));
    const clear = await block(shared);
    await kill();
    await expect.poll(() => withoutPassingReasons(lines)).toHaveLength(2);
    await postgres.stop();
    await clear();
    expect(await processesOn(shared)).toEqual([]);
    await trial.start(shared);
  });
});

describe("keepRunning", () => {
  /** A server that ends when the test ends it, or when it is stopped. */
  function fakeServer() {
    let end: (how: string) => void = () => undefined;
    const ended = new Promise<string>((resolve) => {
      end = resolve;
    });
    const stop = vi.fn(async () => end("exit code 0"));
    const server: ServerProcess = { pid: 1, ended, spawnFailed: ended as never, lastLines: () => "", stop };
    return { server, end, stop };
  }

  it("stops a server that becomes ready in the moment of the stop", async () => {
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
    await expect.poll(() => asked.mock.calls.length).toBe(1);
    const stopped = running.stop();
    comeBack(second.server);
    await stopped;
    expect(second.stop).toHaveBeenCalled();
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
