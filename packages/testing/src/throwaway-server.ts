import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A server on this machine that lives as long as one test. */
interface ThrowawayServer {
  readonly port: number;
  /** Its address with plain http. */
  readonly url: string;
  /** How many connections it has taken. */
  readonly connections: number;
  /** How many of them are closed again. */
  readonly hangUps: number;
  /** Settles when the first of its connections is closed by the other side. */
  readonly hungUp: Promise<void>;
}

/** Serves HTTP for the length of one test. */
export function serveHttp(onRequest: RequestListener): Promise<ThrowawayServer> {
  return listen(createHttpServer(onRequest));
}

/** Serves bare TCP for the length of one test, for everything that a decent HTTP server would not do. */
export function serveTcp(onSocket: (socket: Socket) => void): Promise<ThrowawayServer> {
  return listen(
    createTcpServer((socket) => {
      onSocket(socket);
      // Unread bytes would hide that the other side has hung up.
      socket.resume();
    }),
  );
}

/** Takes over any server, for example one that speaks TLS. */
export async function listen(server: Server): Promise<ThrowawayServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let hangUps = 0;
  const hungUp = new Promise<void>((resolve) => {
    server.on("connection", (socket: Socket) => {
      connections += 1;
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        hangUps += 1;
        resolve();
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    if (server.listening) await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    get hangUps() {
      return hangUps;
    },
    hungUp,
  };
}

/** A port of this machine without a listener. */
export async function findDeadPort(): Promise<number> {
  const server = createTcpServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
