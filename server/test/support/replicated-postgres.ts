import { type ChildProcess, execFile, spawn } from "node:child_process";
import { appendFile, chmod, chown, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { locateBinaries } from "@trunkline/local-postgres/locate-binaries.ts";
import pg from "pg";

/** Whom the servers run as where the tests run as root. */
const NOBODY = 65_534;
const USER = "trunkline";
const RETRY_MS = 50;

/** A PostgreSQL server on loopback. */
export class ReplicatedServer {
  readonly port: number;
  readonly #program: string;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  constructor(program: string, folder: string, port: number) {
    this.#program = program;
    this.#folder = folder;
    this.port = port;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const settings = { port: this.port, listen_addresses: "127.0.0.1", unix_socket_directories: "", fsync: "off" };
    const words = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    this.#process = spawn(this.#program, ["-D", this.#folder, ...words], { ...account(), cwd: "/", stdio: "ignore" });
    while (
      !(await this.ask("SELECT 1").then(
        () => true,
        () => false,
      ))
    )
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }

  /** Sends one statement, on a connection of its own. */
  async ask(statement: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: `postgres://${USER}@${this.address}/postgres` });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  /** A standby becomes a primary. */
  async promote(): Promise<void> {
    await this.ask("SELECT pg_promote(true, 60)");
  }

  /** Nothing answers any more, and no connection is closed: as a machine that hangs. */
  async hang(): Promise<void> {
    const pids = (await this.ask("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()")).map(({ pid }) =>
      Number(pid),
    );
    for (const pid of [this.#process?.pid, ...pids]) if (pid !== undefined) process.kill(pid, "SIGSTOP");
  }

  /** Ends it at once, also where it hangs. Its children follow by themselves. */
  async kill(): Promise<void> {
    const running = this.#process;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once("close", resolve));
    running.kill("SIGQUIT");
    running.kill("SIGCONT");
    await ended;
  }
}

/** A primary, and a standby that follows it. */
export interface ReplicatedPostgres {
  readonly primary: ReplicatedServer;
  readonly standby: ReplicatedServer;
  /** A connection string with both, the standby first. */
  urlOf(parameters?: string): string;
  stop(): Promise<void>;
}

/** Starts two servers. With `isSynchronous` a commit waits for the standby. */
export async function startReplicatedPostgres(isSynchronous: boolean): Promise<ReplicatedPostgres> {
  const root = await mkdtemp(join(tmpdir(), "trunkline-replicated-"));
  await chmod(root, 0o755);
  const { initdb, postgres } = await locateBinaries(root, account());
  const [one = 0, two = 0] = await freePorts(2);
  const folders = [join(root, "one"), join(root, "two")] as const;
  await makeFolder(folders[0]);
  const words = ["-D", folders[0], "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  await promisify(execFile)(initdb, words, { ...account(), cwd: "/" });
  await appendFile(join(folders[0], "pg_hba.conf"), "host replication all 127.0.0.1/32 trust\n");
  // Both begin with the same data. What the first one writes then, the second one is sent.
  await cp(folders[0], folders[1], { recursive: true });
  await promisify(execFile)("chmod", ["-R", "u=rwX,go=", folders[1]]);
  if (account() !== undefined) await promisify(execFile)("chown", ["-R", `${NOBODY}:${NOBODY}`, folders[1]]);
  await writeFile(join(folders[1], "standby.signal"), "");
  await appendFile(
    join(folders[1], "postgresql.conf"),
    `primary_conninfo = 'host=127.0.0.1 port=${one} user=${USER} application_name=standby'\n`,
  );
  const primary = new ReplicatedServer(postgres, folders[0], one);
  const standby = new ReplicatedServer(postgres, folders[1], two);
  await primary.start();
  await primary.ask("CREATE DATABASE trunkline");
  await standby.start();
  // It takes connections before it has read all that the primary wrote.
  while ((await standby.ask("SELECT 1 FROM pg_database WHERE datname = 'trunkline'")).length === 0) await wait(50);
  if (isSynchronous) {
    await primary.ask("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await primary.ask("SELECT pg_reload_conf()");
  }
  return {
    primary,
    standby,
    urlOf: (parameters = "") => `postgres://${USER}@${standby.address},${primary.address}/trunkline${parameters}`,
    async stop() {
      await Promise.all([primary.kill(), standby.kill()]);
      await rm(root, { recursive: true, force: true });
    },
  };
}

function account(): { readonly uid: number; readonly gid: number } | undefined {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined;
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (account() !== undefined) await chown(path, NOBODY, NOBODY);
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map((server) => new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  return ports;
}
