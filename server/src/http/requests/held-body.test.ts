import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { HeldBodyRequest } from "./held-body.ts";

const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

type Handle = (request: HeldBodyRequest, response: ServerResponse) => unknown;

/** A server, and a connection to it. */
async function serve(handle: Handle): Promise<{ readonly socket: Socket; readonly received: () => string }> {
  const server = createServer(
    { IncomingMessage: HeldBodyRequest },
    (request, response) => void handle(request as HeldBodyRequest, response),
  );
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  return { socket, received: () => received };
}

const post = (body: string, length = body.length) =>
  `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n${body}`;

/** Later than the rest of what came with the head. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

async function readStream(request: HeldBodyRequest): Promise<string> {
  let text = "";
  for await (const piece of request) text += String(piece);
  return text;
}

describe("a body that came with its head", () => {
  it("is taken at once, and the next request on the connection is served", async () => {
    const events: string[] = [];
    const { socket, received } = await serve(async (request, response) => {
      await nextTurn();
      for (const event of ["end", "aborted"]) request.on(event, () => events.push(event));
      const text = request.takeBody()?.toString();
      response.end(`<${text} ${String(request.takeBody())} ${request.readableEnded}>`);
    });
    socket.write(post("one") + post(""));
    await expect.poll(received).toContain("< undefined true>");
    socket.write(post("two"));
    await expect.poll(received).toContain("<two undefined true>");
    expect(received()).toContain("<one undefined true>");
    expect(events).toEqual([]);
  });

  it("can be read as a stream instead", async () => {
    const { socket, received } = await serve(async (request, response) => {
      await nextTurn();
      response.end(`<${await readStream(request)} ${String(request.takeBody())}>`);
    });
    socket.write(post("first") + post(""));
    await expect.poll(received).toContain("< undefined>");
    expect(received()).toContain("<first undefined>");
  });

  it("is dropped where nobody reads it, and the next request is served", async () => {
    const { socket, received } = await serve((_request, response) => response.end("<not read>"));
    socket.write(post("one") + post("two"));
    await expect.poll(() => received().match(/<not read>/g)?.length).toBe(2);
  });
});

describe("a body that comes in pieces", () => {
  it("can't be taken before its end", async () => {
    let taken: Buffer | string | undefined = "not tried";
    const { socket, received } = await serve(async (request, response) => {
      await nextTurn();
      taken = request.takeBody();
      response.end(`<${String(taken)} ${await readStream(request)}>`);
    });
    socket.write(post("begin", 8));
    await expect.poll(() => taken).toBeUndefined();
    socket.write("end");
    await expect.poll(received).toContain("<undefined beginend>");
  });

  it("is read whole, however much of it came before", async () => {
    const pieces = ["a".repeat(20_000), "b".repeat(100_000), "c"];
    const whole = pieces.join("");
    const { socket, received } = await serve(async (request, response) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const text = await readStream(request);
      response.end(`<${text === whole}>`);
    });
    socket.write(post("", whole.length));
    for (const piece of pieces) {
      await nextTurn();
      socket.write(piece);
    }
    await expect.poll(received).toContain("<true>");
  });

  it("is not read further than a stream's buffer while nobody reads it", async () => {
    const arrived: HeldBodyRequest[] = [];
    const { socket } = await serve((request) => arrived.push(request));
    socket.write(post("", 64 * 1024 * 1024));
    await expect.poll(() => arrived.length).toBe(1);
    while (socket.write(Buffer.alloc(1024 * 1024)));
    await expect.poll(() => arrived[0]?.socket.isPaused()).toBe(true);
    expect(arrived[0]?.socket.bytesRead).toBeLessThan(8 * 1024 * 1024);
  });

  it("is aborted where the client leaves before its end", async () => {
    let request: HeldBodyRequest | undefined;
    const { socket } = await serve((given) => {
      request = given;
    });
    socket.write(post("begin", 8));
    await expect.poll(() => request).toBeDefined();
    socket.destroy();
    await expect.poll(() => request?.aborted).toBe(true);
    expect(request?.takeBody()).toBeUndefined();
  });
});

it("is not aborted where the client leaves after its body was taken", async () => {
  let request: HeldBodyRequest | undefined;
  const { socket } = await serve(async (given) => {
    await nextTurn();
    given.takeBody();
    request = given;
  });
  socket.write(post("whole"));
  await expect.poll(() => request).toBeDefined();
  socket.destroy();
  await expect.poll(() => request?.destroyed).toBe(true);
  expect(request?.aborted).toBe(false);
});
