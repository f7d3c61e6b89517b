import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DataFolder } from "./data-folder.ts";
import { DATABASE_USER } from "./make-cluster.ts";
import { prepareSocketFolder, removeSocketFolder, removeStaleSocket, SOCKET_PORT } from "./socket-folder.ts";
import { ensurePassword, findFreePort } from "./windows-access.ts";

/** What pg's Client and Pool need to connect. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly password?: string;
}

const DATABASE = "trunkline";

/** How the server is reached on this system. */
export interface ServerAddress {
  readonly connection: Connection;
  readonly settings: Readonly<Record<string, string>>;
  readonly passwordFile: string | undefined;
  /** Clears the way before a start. */
  removeStale(): Promise<void>;
  /** Tidies up after a stop. */
  cleanUp(): Promise<void>;
}

/**
 * Unix: a socket in a private folder. Windows, whose sockets pg can't use: loopback TCP with a password. The number is
 * only part of the socket's name, for servers that run beside each other.
 */
export function prepareServerAddress(
  folder: DataFolder,
  number: number = SOCKET_PORT,
): Promise<ServerAddress> {
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
      // Whoever tidies the temporary folder may have taken it away since.
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

/** How a server is reached that another process has started, by what its own file says. */
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
