import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What came of an order. */
export interface Outcome {
  readonly isDone: boolean;
  /** Sentences for the operator. */
  readonly message: string;
}

/** Orders are a word. */
const ORDER_CHARS_MAX = 64;
/** Longer paths are refused by the system. */
const PATH_BYTES_MAX = 100;

/** The socket of the service on a data folder. */
export function controlSocketIn(dataDir: string): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\trunkline-${digestOf(dataDir)}`;
  const path = join(dataDir, "control.sock");
  return Buffer.byteLength(path) <= PATH_BYTES_MAX ? path : join(tmpdir(), `trunkline-${digestOf(dataDir)}.sock`);
}

function digestOf(path: string): string {
  return createHash("sha256").update(path).digest("hex").slice(0, 16);
}

/** Takes orders at a Unix socket, which only this user may open. Throws where another service takes orders there. */
export async function startControlSocket(
  path: string,
  follow: (order: string) => Promise<Outcome>,
): Promise<{ remove(): void; stop(): Promise<void> }> {
  if ((await askControlSocket(path, "ping")) !== undefined)
    throw new Error(`Another service takes orders at ${path}. Set TRUNKLINE_CONTROL_SOCKET to another path.`);
  // A service that was killed leaves its socket behind.
  if (process.platform !== "win32") await rm(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    let order = "";
    socket.setEncoding("utf8");
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (piece: string) => {
      order += piece;
      if (order.length > ORDER_CHARS_MAX) socket.destroy();
    });
    socket.on("end", () => {
      void follow(order.trim())
        .catch(
          (error: unknown): Outcome => ({
            isDone: false,
            message: error instanceof Error ? error.message : String(error),
          }),
        )
        .then((outcome) => socket.end(JSON.stringify(outcome)));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  server.unref();
  if (process.platform !== "win32") await chmod(path, 0o600);
  return {
    remove: () => rmSync(path, { force: true }),
    stop: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Gives an order to the service at this socket; undefined: none takes orders there. */
export function askControlSocket(path: string, order: string): Promise<Outcome | undefined> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(path, () => socket.end(order));
    socket.setEncoding("utf8");
    socket.on("error", () => resolve(undefined));
    socket.on("data", (piece: string) => {
      answer += piece;
    });
    socket.on("close", () => {
      try {
        resolve(JSON.parse(answer) as Outcome);
      } catch {
        resolve(undefined);
      }
    });
  });
}
