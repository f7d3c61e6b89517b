import { type ChildProcess, spawn } from "node:child_process";
import { openSync, readdirSync, readFileSync } from "node:fs";
import { chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ensureProgram } from "@trunkline/testing/system-package.ts";
import pg from "pg";
import { parse } from "yaml";

/** The file that operators begin with. */
const CONFIG_FILE = new URL("../../../deploy/patroni/patroni.yml", import.meta.url);
const PROGRAMS_FOLDER = "/usr/lib/postgresql";
const PASSWORD = "for-loopback-only";
/** Whom the servers run as where the run is root's. */
const NOBODY = 65_534;
/**
 * Databases have machines of their own: they must not wait for the clients and services that share this one. Only root
 * may say so, and PostgreSQL refuses to run as root.
 */
const AS_NOBODY = ["nice", "-n", "-10", "setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
const LOOK_MS = 100;
/** Far more than a replica takes to copy the data, also on a busy machine. */
const READY_MS_MAX = 300_000;

/** What happens to the primary's machine: PostgreSQL dies, all of it dies, or all of it stands still. */
export const STRIKES = ["postgres", "machine", "hang"] as const;
export type Strike = (typeof STRIKES)[number];

/** A machine of the cluster: Patroni, and the PostgreSQL that it runs. */
interface Node {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly apiPort: number;
  patroni: ChildProcess | undefined;
}

/** What Patroni says of a member. */
interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly port?: number;
}

/** PostgreSQL under Patroni with etcd and synchronous replicas, in real processes on loopback. */
export class PatroniCluster {
  readonly #folder: string;
  readonly #programs: string;
  readonly #nodes: readonly Node[];
  readonly #etcdPort: number;
  #etcd: ChildProcess | undefined;

  private constructor(folder: string, programs: string, etcdPort: number, nodes: readonly Node[]) {
    this.#folder = folder;
    this.#programs = programs;
    this.#etcdPort = etcdPort;
    this.#nodes = nodes;
  }

  /** A cluster with its replicas in step, and the database of the service. */
  static async start(folder: string, size: number, programs: string): Promise<PatroniCluster> {
    await makeFolder(folder);
    const [etcdPort = 0, ...ports] = await freePorts(1 + 2 * size);
    const nodes = Array.from({ length: size }, (_, index) => ({
      name: `db-${index + 1}`,
      folder: join(folder, `db-${index + 1}`),
      port: ports[2 * index] ?? 0,
      apiPort: ports[2 * index + 1] ?? 0,
      patroni: undefined,
    }));
    const cluster = new PatroniCluster(folder, programs, etcdPort, nodes);
    try {
      await cluster.#startEtcd();
      for (const node of nodes) await cluster.#prepare(node);
      // The first to start has the data that the others copy.
      for (const node of nodes.slice(0, 1)) cluster.#startNode(node);
      await cluster.#awaitLeader();
      for (const node of nodes.slice(1)) cluster.#startNode(node);
      await cluster.awaitSynchronous();
      await cluster.#createDatabase();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** For `DATABASE_URL`, with all servers. */
  get url(): string {
    return this.#urlOf(this.#nodes.map(({ port }) => `127.0.0.1:${port}`).join(","), "trunkline");
  }

  /** The ports at which the servers' Patroni says what they are. */
  get members(): readonly { readonly name: string; readonly port: number; readonly apiPort: number }[] {
    return this.#nodes;
  }

  #urlOf(hosts: string, database: string): string {
    return `postgres://postgres:${PASSWORD}@${hosts}/${database}`;
  }

  /** Takes the primary's machine away as `how` says, and resolves with its name when another one is the leader. */
  async strike(how: Strike): Promise<{ readonly struckAt: number; readonly name: string }> {
    const leader = await this.#awaitLeader();
    const node = this.#nodes.find(({ name }) => name === leader);
    if (node === undefined) throw new Error(`Patroni names a leader ${leader} that is none of the nodes.`);
    const postmaster = await this.#postmasterOf(node);
    const own = node.patroni?.pid;
    const signal = how === "hang" ? "SIGSTOP" : "SIGKILL";
    if (how !== "postgres" && own !== undefined) signalOne(own, signal);
    signalTree(postmaster, signal);
    const struckAt = performance.now();
    const deadline = performance.now() + READY_MS_MAX;
    for (;;) {
      const now = await this.#findLeader();
      if (now !== undefined && now !== leader) return { struckAt, name: leader };
      if (performance.now() > deadline) throw new Error("No other server became the primary.");
      await wait(LOOK_MS);
    }
  }

  /** Brings a machine back that was struck. One that hangs was reset by its watchdog meanwhile. */
  async bringBack(name: string, how: Strike): Promise<void> {
    const node = this.#nodes.find((one) => one.name === name);
    if (node === undefined) throw new Error(`There is no ${name}.`);
    if (how === "hang") await this.#kill(node);
    if (how !== "postgres") this.#startNode(node);
    await this.awaitSynchronous();
  }

  /** Waits until every node runs, and one of them has every commit that the primary has answered. */
  async awaitSynchronous(): Promise<void> {
    const deadline = performance.now() + READY_MS_MAX;
    for (;;) {
      const members = await this.#askMembers();
      const isRunning = members.length === this.#nodes.length && members.every(({ state }) => RUNNING.has(state));
      if (isRunning && members.some(({ role }) => role === "sync_standby")) return;
      if (performance.now() > deadline)
        throw new Error(`The replicas are not in step: ${JSON.stringify(members)}. The logs are in ${this.#folder}.`);
      await wait(LOOK_MS);
    }
  }

  async stop(): Promise<void> {
    for (const node of this.#nodes) await this.#kill(node);
    this.#etcd?.kill("SIGKILL");
  }

  async #kill(node: Node): Promise<void> {
    const postmaster = await this.#postmasterOf(node).catch(() => undefined);
    if (node.patroni?.pid !== undefined) signalOne(node.patroni.pid, "SIGKILL");
    if (postmaster !== undefined) signalTree(postmaster, "SIGKILL");
  }

  async #startEtcd(): Promise<void> {
    const [peerPort = 0] = await freePorts(1);
    const client = `http://127.0.0.1:${this.#etcdPort}`;
    const peer = `http://127.0.0.1:${peerPort}`;
    const data = join(this.#folder, "etcd");
    await makeFolder(data, 0o700);
    const words = [
      "--name=etcd-1",
      `--data-dir=${data}`,
      "--initial-cluster-state=new",
      `--initial-cluster=etcd-1=${peer}`,
    ];
    const addresses = [`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`];
    const peers = [`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`];
    this.#etcd = this.#spawn("etcd", "etcd", [...words, ...addresses, ...peers]);
  }

  async #prepare(node: Node): Promise<void> {
    const { name, folder, port, apiPort } = node;
    await makeFolder(folder);
    const config = parse(await readFile(CONFIG_FILE, "utf8")) as PatroniConfig;
    const roles = Object.entries(config.postgresql.authentication).map(
      ([role, { username }]) => [role, { username, password: PASSWORD }] as const,
    );
    const own = {
      ...config,
      name,
      restapi: { listen: `127.0.0.1:${apiPort}`, connect_address: `127.0.0.1:${apiPort}` },
      etcd3: { hosts: [`127.0.0.1:${this.#etcdPort}`] },
      // There is no machine to reset: what hangs is killed before it is brought back.
      watchdog: { mode: "off" },
      postgresql: {
        ...config.postgresql,
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: join(folder, "data"),
        bin_dir: this.#programs,
        pgpass: join(folder, "pgpass"),
        authentication: Object.fromEntries(roles),
        pg_hba: config.postgresql.pg_hba.map((line) => line.replace("10.0.0.0/24", "127.0.0.1/32")),
        parameters: { ...config.postgresql.parameters, unix_socket_directories: folder },
      },
    };
    // JSON is YAML too.
    await writeFile(join(folder, "patroni.yml"), JSON.stringify(own, undefined, 2), { mode: 0o644 });
  }

  #startNode(node: Node): void {
    node.patroni = this.#spawn(node.name, "patroni", [join(node.folder, "patroni.yml")]);
  }

  #spawn(name: string, program: string, words: readonly string[]): ChildProcess {
    const log = openSync(join(this.#folder, `${name}.log`), "a");
    const env = { PATH: process.env.PATH, HOME: this.#folder, LC_ALL: "C.UTF-8", ETCD_LOGGER: "zap" };
    const [first = program, ...rest] = [...(process.getuid?.() === 0 ? AS_NOBODY : []), program, ...words];
    return spawn(first, rest, { cwd: this.#folder, env, stdio: ["ignore", log, log] });
  }

  async #createDatabase(): Promise<void> {
    const leader = await this.#awaitLeader();
    const port = this.#nodes.find(({ name }) => name === leader)?.port;
    const client = new pg.Client({ connectionString: this.#urlOf(`127.0.0.1:${port}`, "postgres") });
    await client.connect();
    await client.query("CREATE DATABASE trunkline").finally(() => client.end());
  }

  async #awaitLeader(): Promise<string> {
    const deadline = performance.now() + READY_MS_MAX;
    for (;;) {
      const leader = await this.#findLeader();
      if (leader !== undefined) return leader;
      if (performance.now() > deadline) throw new Error(`No primary came up. The logs are in ${this.#folder}.`);
      await wait(LOOK_MS);
    }
  }

  /** The node that says of itself that it is the primary, with the leader's key in etcd. */
  async #findLeader(): Promise<string | undefined> {
    const answers = this.#nodes.map(async ({ name, apiPort }) => {
      const { ok } = await fetch(`http://127.0.0.1:${apiPort}/primary`, { signal: AbortSignal.timeout(1_000) });
      if (!ok) throw new Error(`${name} is not the primary.`);
      return name;
    });
    return Promise.any(answers).catch(() => undefined);
  }

  async #askMembers(): Promise<readonly Member[]> {
    const answers = this.#nodes.map(async ({ apiPort }) => {
      const answer = await fetch(`http://127.0.0.1:${apiPort}/cluster`, { signal: AbortSignal.timeout(1_000) });
      return ((await answer.json()) as { readonly members: readonly Member[] }).members;
    });
    return Promise.any(answers).catch(() => []);
  }

  async #postmasterOf({ folder }: Node): Promise<number> {
    const [pid] = (await readFile(join(folder, "data", "postmaster.pid"), "utf8")).split("\n");
    return Number(pid);
  }
}

const RUNNING: ReadonlySet<string> = new Set(["running", "streaming"]);

interface PatroniConfig {
  readonly postgresql: {
    readonly authentication: Readonly<Record<string, { readonly username: string }>>;
    readonly pg_hba: readonly string[];
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

/** Installs what is missing, and returns the folder of PostgreSQL's programs. */
export function findPrograms(): string {
  ensureProgram("patroni");
  ensureProgram("etcd");
  ensureProgram("/usr/bin/pg_ctlcluster");
  const newest = readdirSync(PROGRAMS_FOLDER)
    .toSorted((one, other) => Number(one) - Number(other))
    .at(-1);
  if (newest === undefined) throw new Error(`There is no PostgreSQL in ${PROGRAMS_FOLDER}.`);
  return join(PROGRAMS_FOLDER, newest, "bin");
}

async function makeFolder(path: string, mode = 0o755): Promise<void> {
  await mkdir(path, { recursive: true, mode });
  if (process.getuid?.() === 0) await chown(path, NOBODY, NOBODY);
}

/** Ports that nothing listens at. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** PostgreSQL's processes have groups of their own: its children are found by their parent. */
function signalTree(pid: number, signal: NodeJS.Signals): void {
  const children = childrenOf(pid);
  signalOne(pid, signal);
  for (const child of children) signalOne(child, signal);
}

function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => {
      try {
        const stat = readFileSync(`/proc/${one}/stat`, "latin1");
        // The program's name comes first, in parentheses; then the state and the parent.
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === pid;
      } catch {
        return false;
      }
    });
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}
