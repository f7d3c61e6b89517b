import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, lstat, mkdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { DATABASE_USER } from "./cluster.ts";
import type { DataFolder } from "./data-folder.ts";
import { EmbeddedPostgresError, errnoOf } from "./errors.ts";
import { type Account, findUnreadableFolder } from "./file-system.ts";

/** Options for pg's Client and Pool. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password?: string;
}

const DATABASE = "trunkline";

export interface ServerAddress {
  readonly connection: Connection;
  readonly settings: Readonly<Record<string, string>>;
  readonly passwordFile: string | undefined;
  /** Prepares the address before a start. */
  removeStale(): Promise<void>;
  /** Cleans up after a stop. */
  cleanUp(): Promise<void>;
}

/**
 * Unix: a socket in a private folder. Windows: loopback TCP with a password, because pg can't use Windows sockets. The
 * number is only part of the socket's name, for two servers that run at the same time.
 */
export function prepareServerAddress(folder: DataFolder, number: number = SOCKET_PORT): Promise<ServerAddress> {
  return process.platform === "win32" ? prepareTcpAddress(folder.home) : prepareSocketAddress(folder, number);
}

async function prepareSocketAddress(folder: DataFolder, port: number): Promise<ServerAddress> {
  const host = await prepareSocketFolder(folder);
  // The setting is a list: quotes keep a comma in the path from splitting it.
  const quoted = `"${host.replaceAll('"', '""')}"`;
  return {
    connection: { host, port, user: DATABASE_USER, database: DATABASE },
    settings: { listen_addresses: "", port: String(port), unix_socket_directories: quoted },
    passwordFile: undefined,
    async removeStale() {
      // A cleaner of the temporary folder may have deleted it.
      await prepareSocketFolder(folder);
      await removeStaleSocket(host, port);
    },
    cleanUp: () => removeSocketFolder(host, folder.home),
  };
}

const LOOPBACK = "127.0.0.1";

function passwordFileIn(home: string): string {
  return join(home, "password");
}

/** How to reach a server that another process started, from its postmaster.pid. */
export async function connectionTo(
  home: string,
  { port, socketFolder }: { readonly port: number; readonly socketFolder: string },
): Promise<Connection> {
  const login = { port, user: DATABASE_USER, database: DATABASE };
  if (process.platform !== "win32") return { ...login, host: socketFolder };
  return { ...login, host: LOOPBACK, password: await readFile(passwordFileIn(home), "utf8") };
}

async function prepareTcpAddress(home: string): Promise<ServerAddress> {
  const passwordFile = passwordFileIn(home);
  const password = await ensurePassword(passwordFile);
  const host = LOOPBACK;
  const port = await findFreePort(host);
  return {
    connection: { host, port, user: DATABASE_USER, database: DATABASE, password },
    settings: { listen_addresses: host, port: String(port) },
    passwordFile,
    removeStale: async () => undefined,
    cleanUp: async () => undefined,
  };
}

/** The usual number in a socket's name: no TCP port is opened. */
export const SOCKET_PORT = 5432;

/** The system cuts socket paths at 104 bytes (macOS) or 108 (Linux). */
const PATH_BYTES_MAX = 100;

/** A private folder with a path short enough for a socket: the data's own, or one under the temporary folder. */
async function prepareSocketFolder({ home, account }: DataFolder): Promise<string> {
  if (isShortEnough(home)) return home;
  const name = `trunkline-${createHash("sha256").update(home).digest("hex").slice(0, 16)}`;
  for (const parent of [tmpdir(), "/tmp"]) {
    const folder = join(parent, name);
    if (!isShortEnough(folder)) continue;
    // A temporary folder may itself be private to one user, or not exist.
    const barrier = await findUnreadableFolder(parent, account ?? currentAccount()).catch(() => parent);
    if (barrier !== undefined) continue;
    await makePrivateFolder(folder, account ?? currentAccount());
    return folder;
  }
  throw new EmbeddedPostgresError(
    `The path ${home} is too long for a socket, and there is no shorter private place. Choose a shorter data folder.`,
  );
}

/** Deletes the socket of a killed server, after a check that no server listens on it. */
async function removeStaleSocket(folder: string, port: number): Promise<void> {
  const socket = join(folder, `.s.PGSQL.${port}`);
  // A server in another container with the same volume has a pid that we can't see, but its socket answers.
  if (await isListening(socket)) {
    throw new EmbeddedPostgresError(
      `A PostgreSQL that this gateway can't stop answers on ${socket}; perhaps another container uses the same data ` +
        "folder. Stop it first, or choose another data folder.",
    );
  }
  await rm(socket, { force: true });
  await rm(`${socket}.lock`, { force: true });
}

async function removeSocketFolder(folder: string, home: string): Promise<void> {
  if (folder !== home) await rmdir(folder).catch(() => undefined);
}

function currentAccount(): Account {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

function isShortEnough(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${SOCKET_PORT}.lock`)) <= PATH_BYTES_MAX;
}

/** All accounts share the temporary folder: a folder of this name that belongs to another account must not be used. */
async function makePrivateFolder(folder: string, owner: Account): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid === process.getuid?.() && found.uid !== owner.uid) {
    await chown(folder, owner.uid, owner.gid);
  } else if (!found.isDirectory() || found.uid !== owner.uid) {
    throw new EmbeddedPostgresError(`${folder} is needed for the database's socket but belongs to someone else.`);
  }
  await chmod(folder, 0o700);
}

function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", () => resolve(false));
  });
}

/** The database's password. It is created once, because the cluster is initialised with it. */
async function ensurePassword(file: string): Promise<string> {
  try {
    await writeFile(file, randomBytes(24).toString("base64url"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  return readFile(file, "utf8");
}

/** A port that is free now. */
async function findFreePort(host: string): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No TCP port could be taken.");
  return address.port;
}

const CONNECT_LIMIT_MS = 30_000;

/** Creates the database if the cluster does not have it yet. */
export async function ensureDatabase(connection: Connection): Promise<void> {
  await withAdminClient(connection, async (client) => {
    if (await hasDatabase(client, connection.database)) return;
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(connection.database)}`);
  });
}

/** Whether the cluster has the database. False after a first start that was interrupted. */
export function databaseExists(connection: Connection): Promise<boolean> {
  return withAdminClient(connection, (client) => hasDatabase(client, connection.database));
}

async function hasDatabase(client: Client, name: string): Promise<boolean> {
  const found = await client.query("SELECT FROM pg_database WHERE datname = $1", [name]);
  return found.rowCount === 1;
}

async function withAdminClient<Result>(
  connection: Connection,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    ...connection,
    database: "postgres",
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  // A broken connection rejects the running query. Without a listener the event would end the process.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
