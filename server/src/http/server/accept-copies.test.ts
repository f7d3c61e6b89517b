import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { AcceptCopies } from "./accept-copies.ts";

const CLIENTS = 64;

let server: Server;
let copies: AcceptCopies;
let clients: Socket[] = [];

async function startServer(): Promise<void> {
  server = createServer((_request, response) => response.end("served"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  copies = new AcceptCopies(server);
}

const portOf = () => (server.address() as AddressInfo).port;

afterEach(() => {
  for (const client of clients) client.destroy();
  clients = [];
  copies.close();
  server.close();
  server.closeAllConnections();
});

/** Connects many clients at once, and counts the turns of the event loop that brought them all. */
async function countTurns(): Promise<number> {
  let turns = 0;
  let accepted = 0;
  let hasAccepted = false;
  await new Promise<void>((resolve) => {
    server.on("connection", () => {
      accepted += 1;
      if (!hasAccepted) {
        hasAccepted = true;
        turns += 1;
        setImmediate(() => {
          hasAccepted = false;
        });
      }
      if (accepted === CLIENTS) resolve();
    });
    clients = Array.from({ length: CLIENTS }, () => connect(portOf(), "127.0.0.1").on("error", () => undefined));
  });
  return turns;
}

describe("AcceptCopies", () => {
  it("accepts several connections in a turn of the event loop", async () => {
    await startServer();
    await copies.open();

    expect(await countTurns()).toBeLessThan(CLIENTS / 4);
  });

  it("serves requests on every connection", async () => {
    await startServer();
    await copies.open();
    const url = `http://127.0.0.1:${portOf()}/`;

    const answers = await Promise.all(Array.from({ length: CLIENTS }, async () => (await fetch(url)).text()));

    expect(new Set(answers)).toEqual(new Set(["served"]));
  });

  it("leaves the port when it is closed", async () => {
    await startServer();
    await copies.open();
    const port = portOf();
    copies.close();
    await new Promise((resolve) => server.close(resolve));

    const client = connect(port, "127.0.0.1");
    const [error] = await once(client, "error");
    expect((error as NodeJS.ErrnoException).code).toBe("ECONNREFUSED");
  });

  it("makes no copies of a server that does not listen", async () => {
    server = createServer();
    copies = new AcceptCopies(server);

    await expect(copies.open()).resolves.toBeUndefined();
  });

  it("can be closed before the copies are made", async () => {
    await startServer();
    const opened = copies.open();
    copies.close();

    await expect(opened).resolves.toBeUndefined();
  });

  it("leaves the server as it is where no process can be started", async () => {
    await startServer();
    const { execPath } = process;
    process.execPath = "/nowhere/node";
    try {
      await expect(copies.open()).resolves.toBeUndefined();
    } finally {
      process.execPath = execPath;
    }
    expect(await (await fetch(`http://127.0.0.1:${portOf()}/`)).text()).toBe("served");
  });
});
