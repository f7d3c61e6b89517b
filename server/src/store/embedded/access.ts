import { join } from "node:path";
import type { DataFolder } from "./data-folder.ts";
import { DATABASE_USER } from "./make-cluster.ts";
import { clearSocket, dropSocketFolder, prepareSocketFolder, SOCKET_PORT } from "./socket-folder.ts";
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
export interface Access {
  readonly connection: Connection;
  readonly settings: Readonly<Record<string, string>>;
  readonly passwordFile: string | undefined;
  /** Clears the way before a start. */
  clear(): Promise<void>;
  /** Tidies up after a stop. */
  close(): Promise<void>;
}

/** Unix: a socket in a private folder. Windows, whose sockets pg can't use: loopback TCP with a password. */
export function openAccess(folder: DataFolder): Promise<Access> {
  return process.platform === "win32" ? openTcp(folder.home) : openSocket(folder);
}

async function openSocket(folder: DataFolder): Promise<Access> {
  const host = await prepareSocketFolder(folder);
  // The setting is a list: quotes keep a comma in the path from splitting it.
  const quoted = `"${host.replaceAll('"', '""')}"`;
  return {
    connection: { host, port: SOCKET_PORT, user: DATABASE_USER, database: DATABASE },
    settings: { listen_addresses: "", port: String(SOCKET_PORT), unix_socket_directories: quoted },
    passwordFile: undefined,
    clear: () => clearSocket(host),
    close: () => dropSocketFolder(host, folder.home),
  };
}

async function openTcp(home: string): Promise<Access> {
  const passwordFile = join(home, "password");
  const password = await ensurePassword(passwordFile);
  const host = "127.0.0.1";
  const port = await findFreePort(host);
  return {
    connection: { host, port, user: DATABASE_USER, database: DATABASE, password },
    settings: { listen_addresses: host, port: String(port) },
    passwordFile,
    clear: async () => undefined,
    close: async () => undefined,
  };
}
