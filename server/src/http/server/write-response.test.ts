import { createServer, type Server, ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { HeaderLines } from "../endpoints/header-lines.ts";
import { writeResponse } from "./write-response.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

function headersOf(name: string, value: string): HeaderLines {
  const headers = new HeaderLines();
  headers.add(name, value);
  return headers;
}

type Answer = (response: ServerResponse, count: number) => void;

const answer: Answer = (response, count) =>
  writeResponse(response, 200, headersOf("x-count", String(count)), `{"n":${count}}`, 5_000);

async function listen(answerWith: Answer, options: Parameters<typeof createServer>[0] = {}): Promise<number> {
  let count = 0;
  const server = createServer({ keepAliveTimeout: 75_000, ...options }, (_request, response) => {
    count += 1;
    answerWith(response, count);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Sends bytes and resolves with what came back, once it ends as expected or the connection is closed. */
function exchange(port: number, sent: string, isWhole: (received: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(sent));
    let received = "";
    const end = () => {
      socket.destroy();
      resolve(received);
    };
    socket.setEncoding("utf8").on("data", (text: string) => {
      received += text;
      if (isWhole(received)) end();
    });
    socket.on("end", end).on("error", reject);
  });
}

const REQUEST = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}";
const withoutDate = (text: string) => text.replace(/Date: [^\r]*/g, "Date: now");

test("a response is what Node itself would send", async () => {
  const port = await listen(answer);
  const own = await listen((response) =>
    response.writeHead(200, ["x-count", "1", "content-length", "7"]).end('{"n":1}'),
  );
  const ends = (received: string) => received.endsWith("}");
  const received = await exchange(port, REQUEST, ends);
  expect(withoutDate(received)).toBe(withoutDate(await exchange(own, REQUEST, ends)));
  expect(received).toMatch(
    /Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=75\r\n\r\n/,
  );
});

test("requests that follow on the connection are answered in their order, also those sent before the answer", async () => {
  const port = await listen((response, count) =>
    // The first answer comes last.
    setTimeout(() => answer(response, count), count === 1 ? 20 : 0),
  );
  const received = await exchange(port, REQUEST.repeat(3), (text) => text.includes('{"n":3}'));
  expect([...received.matchAll(/\{"n":(\d)\}/g)].map(([, n]) => n)).toEqual(["1", "2", "3"]);
});

test("the response is finished and closed as every other, and its request is let go", async () => {
  const events: string[] = [];
  const ended = new Promise<void>((resolve) => {
    void listen((response) => {
      response.on("finish", () => events.push("finish"));
      response.on("close", () => {
        events.push(`close ${response.writableFinished} ${response.statusCode}`);
        resolve();
      });
      answer(response, 1);
    }).then((port) => exchange(port, REQUEST, (text) => text.endsWith("}")));
  });
  await ended;
  expect(events).toEqual(["finish", "close true 200"]);
});

test("text that is not ASCII arrives whole, in the body and beside a header that only Node can send", async () => {
  const body = '{"text":"Grüße, 世界"}';
  const port = await listen((response, count) =>
    writeResponse(response, 201, count === 1 ? new HeaderLines() : headersOf("x-name", "Gr\u00fc\u00dfe"), body, 5_000),
  );
  const ends = (received: string) => received.endsWith("}");
  expect(await exchange(port, REQUEST, ends)).toMatch(
    /^HTTP\/1.1 201 Created\r\ncontent-length: 26\r\n[\s\S]*Grüße, 世界/,
  );
  expect(await exchange(port, REQUEST, ends)).toContain("世界");
});

test("a header can't be split", async () => {
  let failure: unknown;
  const port = await listen((response) => {
    try {
      writeResponse(response, 200, headersOf("x-why", "a\r\nset-cookie: b"), "{}", 5_000);
    } catch (error) {
      failure = error;
      response.destroy();
    }
  });
  expect(await exchange(port, REQUEST, (received) => received.endsWith("}")).catch(() => "")).not.toContain(
    "set-cookie",
  );
  expect(failure).toMatchObject({ code: "ERR_INVALID_CHAR" });
});

test.each([
  ["of HTTP/1.0", "POST / HTTP/1.0\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}"],
  ["that ends its connection", "POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}"],
])("a client %s gets its answer and the end of the connection", async (_name, request) => {
  const received = await exchange(await listen(answer), request, () => false);
  expect(received).toMatch(/connection: close/i);
  expect(received).toMatch(/\{"n":1\}$/);
});

test("an answer that ends the connection says only that, and ends it", async () => {
  const port = await listen((response) => writeResponse(response, 413, headersOf("connection", "close"), "{}", 5_000));
  const received = await exchange(port, REQUEST, () => false);
  expect(received.match(/connection: [\w-]+/gi)).toEqual(["connection: close"]);
  expect(received).toMatch(/\{\}$/);
});

test("a class of responses with headers of its own still adds them", async () => {
  class Marked extends ServerResponse {
    override writeHead(status: number, ...rest: unknown[]): this {
      this.statusCode = status;
      return super.writeHead(status, [...(rest[0] as string[]), "x-mark", "yes"]);
    }
  }
  const port = await listen(answer, { ServerResponse: Marked });
  expect(await exchange(port, REQUEST, (received) => received.endsWith("}"))).toContain("x-mark: yes");
});
