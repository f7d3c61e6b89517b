import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, realpath, rename, rm, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { UpgradeStep } from "@trunkline/local-postgres/cluster.ts";
import type { Connection } from "@trunkline/local-postgres/connection.ts";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
  type TestHooks,
} from "@trunkline/local-postgres/embedded-postgres.ts";
import { Client } from "pg";
import { copyDatabase } from "../../src/store/copy-database.ts";

/** The npm package of an older PostgreSQL, whose data the tests bring over. */
export const OLDER = "embedded-postgres-17";

/** Only for tests: a folder in which servers and gateways are started, and from which all of them are gone at the end. */
export interface Trial {
  readonly folder: string;
  start(dataDir: string, log?: (line: string) => void, testHooks?: TestHooks): Promise<EmbeddedPostgres>;
  /** A gateway in a process of its own, which can be killed without warning. It stops when its input ends. */
  spawnGateway(dataDir: string, options?: SpawnOptions): ChildProcess;
  /** Ends the child and removes the path with the rest. */
  own(litter: ChildProcess | string): void;
  /** Stops what runs. */
  settle(): Promise<void>;
  /** Removes what was written. */
  clear(): Promise<void>;
}

interface SpawnOptions {
  readonly uid?: number;
  readonly gid?: number;
  readonly detached?: boolean;
  /** Where in an upgrade it kills itself. */
  readonly dieAt?: UpgradeStep;
}

/** A trial with a data folder that several tests share: its store holds a table for what they commit. */
export async function openDepositTrial(): Promise<{ trial: Trial; shared: string }> {
  const trial = await openTrial();
  const shared = join(trial.folder, "shared");
  const postgres = await trial.start(shared);
  await query(postgres.connection, "CREATE TABLE deposit (credits int)");
  await postgres.stop();
  return { trial, shared };
}

export async function openTrial(): Promise<Trial> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "trunkline-trial-")));
  // A temporary folder of root's own would be too private for PostgreSQL's account.
  await chmod(folder, 0o755);
  const running: EmbeddedPostgres[] = [];
  const children: ChildProcess[] = [];
  const paths = [folder];

  return {
    folder,
    async start(dataDir, log = () => undefined, testHooks = {}) {
      const postgres = await startEmbeddedPostgres({ dataDir, log, copyDatabase }, testHooks);
      running.push(postgres);
      return postgres;
    },
    spawnGateway(dataDir, options = {}) {
      const gateway = spawnGateway(dataDir, options);
      children.push(gateway);
      return gateway;
    },
    own(litter) {
      if (typeof litter === "string") paths.push(litter);
      else children.push(litter);
    },
    async settle() {
      for (const child of children.splice(0)) child.kill("SIGKILL");
      for (const postgres of running.splice(0)) await postgres.stop();
    },
    async clear() {
      for (const path of paths) await rm(path, { recursive: true, force: true });
      // Refused, as it should be, where someone's data lives there.
      await rmdir("/var/lib/trunkline").catch(() => undefined);
    },
  };
}

function spawnGateway(dataDir: string, { dieAt, ...options }: SpawnOptions): ChildProcess {
  const launcher = new URL("../../../packages/local-postgres/src/embedded-postgres.ts", import.meta.url).href;
  const copier = new URL("../../src/store/copy-database.ts", import.meta.url).href;
  const code = `
    import { startEmbeddedPostgres } from ${JSON.stringify(launcher)};
    import { copyDatabase } from ${JSON.stringify(copier)};
    const die = (step) => step === ${JSON.stringify(dieAt ?? "")} && process.kill(process.pid, "SIGKILL");
    const options = { dataDir: ${JSON.stringify(dataDir)}, log: () => {}, copyDatabase };
    const postgres = await startEmbeddedPostgres(options, { onUpgradeStep: die });
    console.log(JSON.stringify(postgres.connection));
    process.stdin.on("end", () => postgres.stop()).resume();
  `;
  const words = ["--import", "tsx", "--input-type=module", "--eval", code];
  return spawn(process.execPath, words, {
    ...options,
    cwd: new URL("..", import.meta.url),
    stdio: ["pipe", "pipe", "inherit"],
  });
}

/** Where a gateway's server is, once it runs. */
export async function connectionOf(gateway: ChildProcess): Promise<Connection> {
  if (gateway.stdout === null) throw new Error("The gateway's output is not piped.");
  const [line] = await once(createInterface({ input: gateway.stdout }), "line");
  return JSON.parse(line);
}

/** Ends a gateway the orderly way. */
export async function finish(gateway: ChildProcess): Promise<void> {
  gateway.stdin?.end();
  await once(gateway, "exit");
}

/** Ends a gateway without a chance to tidy up. */
export async function kill(gateway: ChildProcess): Promise<void> {
  gateway.kill("SIGKILL");
  await once(gateway, "exit");
}

export async function query(connection: Connection, sql: string): Promise<unknown[]> {
  const client = new Client(connection);
  client.on("error", () => undefined);
  await client.connect();
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** Takes away what no server can start without, and returns how to bring it back. */
export async function block(dataDir: string): Promise<() => Promise<void>> {
  const control = join(dataDir, "postgres", "cluster", "global", "pg_control");
  await rename(control, `${control}.away`);
  return () => rename(`${control}.away`, control);
}

/** The commands of all processes that run on a data folder. */
export async function processesOn(dataDir: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-ww", "-o", "args="]);
  return stdout.split("\n").filter((command) => command.includes(join(dataDir, "postgres", "")));
}

export async function serverPidIn(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, "postgres", "cluster", "postmaster.pid"), "utf8"), 10);
}
