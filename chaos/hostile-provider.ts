import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** Answers one request of the gateway on a bare socket, as no honest provider would. */
type Shape = (socket: Socket, isStream: boolean) => void;

const BOMB_BYTES = 64 * 1024 * 1024;
const DRIP_MS = 50;

const head = (fields = "", status = "200 OK") =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${fields}\r\n`;
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const chunked = head("transfer-encoding: chunked\r\n");
const whole = (text: string, status?: string) =>
  `${head(`content-length: ${Buffer.byteLength(text)}\r\n`, status)}${text}`;
const line = (value: unknown) => `${JSON.stringify(value)}\n`;

/** An answer in the form that was asked for, ended by `last`. */
function answer(isStream: boolean, text: string, last: Readonly<Record<string, unknown>> = {}): string {
  if (!isStream) return whole(JSON.stringify({ output: text, ...last }));
  return chunked + chunk(line({ delta: text })) + chunk(line({ done: true, ...last })) + chunk("");
}

/** Writes for as long as it is read, at most `count` pieces, and then `end`. */
function pump(socket: Socket, piece: string, count = Number.POSITIVE_INFINITY, end = ""): void {
  let left = count;
  const write = (): void => {
    while (!socket.destroyed && left-- > 0) if (!socket.write(piece)) return;
    if (left < 0 && end !== "") socket.end(end);
  };
  socket.on("drain", write);
  write();
}

let bomb: Buffer | undefined;
const usage = (input: unknown, output: unknown) => ({ usage: { input_tokens: input, output_tokens: output } });
const plain = (last: Readonly<Record<string, unknown>>) => (socket: Socket, isStream: boolean) =>
  void socket.write(answer(isStream, "Rivers flow.", last));

/** All that can be wrong with an answer, by name. */
export const HOSTILE_SHAPES: Readonly<Record<string, Shape>> = {
  "endless-text": (socket, isStream) => {
    socket.write(isStream ? chunked : head("connection: close\r\n"));
    if (!isStream) socket.write('{"output":"');
    pump(socket, isStream ? chunk(line({ delta: "river amber quiet lantern ".repeat(40) })) : "river ".repeat(200));
  },
  "endless-blank-lines": (socket) => {
    socket.write(chunked);
    pump(socket, chunk("\n".repeat(1000)));
  },
  "a-million-letters": (socket) => {
    socket.write(chunked);
    pump(socket, chunk(line({ delta: "a" }).repeat(1000)), 1000, chunk(line({ done: true })) + chunk(""));
  },
  "past-max-tokens": (socket, isStream) =>
    void socket.write(answer(isStream, "river ".repeat(100_000), usage(12, 100_000))),
  "invalid-utf-8": (socket) =>
    void socket.end(
      Buffer.concat([
        Buffer.from(`${head("connection: close\r\n")}{"output":"`),
        Buffer.from([0xff, 0xc0, 0xed, 0xa0, 0x80]),
        Buffer.from('"}'),
      ]),
    ),
  "truncated-json": (socket, isStream) => {
    if (isStream) socket.write(chunked + chunk(line({ delta: "Rivers" })) + chunk('{"delta":"fl') + chunk(""));
    else socket.write(whole('{"output":"Rivers fl'));
  },
  "gzip-bomb": (socket) => {
    bomb ??= gzipSync(Buffer.alloc(BOMB_BYTES, "a"));
    socket.write(head(`content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n`));
    socket.write(bomb);
  },
  "broken-gzip": (socket) => void socket.write(`${head("content-encoding: gzip\r\ncontent-length: 9\r\n")}not gzip!`),
  "length-too-long": (socket) => void socket.end(`${head("content-length: 5000\r\n")}{"output":"Rivers"}`),
  "length-too-short": (socket) => void socket.write(`${head("content-length: 8\r\n")}{"output":"Rivers"}`),
  "two-lengths": (socket) =>
    void socket.write(`${head("content-length: 19\r\ncontent-length: 5\r\n")}{"output":"Rivers"}`),
  "length-and-chunks": (socket) =>
    void socket.write(
      head("content-length: 4\r\ntransfer-encoding: chunked\r\n") + chunk('{"output":"Rivers"}') + chunk(""),
    ),
  "bad-chunk-size": (socket) => void socket.write(`${chunked}zz\r\n{"output":"Rivers"}\r\n`),
  "two-answers": (socket, isStream) =>
    void socket.write(answer(isStream, "Rivers flow.") + whole('{"output":"somebody else\'s answer"}')),
  "interim-flood": (socket) => pump(socket, "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"),
  "redirect-inside": (socket) =>
    void socket.write(head("location: http://169.254.169.254/latest/meta-data\r\ncontent-length: 0\r\n", "302 Found")),
  "redirect-loop": (socket) =>
    void socket.write(head("location: /\r\ncontent-length: 0\r\n", "307 Temporary Redirect")),
  "huge-header": (socket) => void socket.write(head(`x-huge: ${"a".repeat(1_000_000)}\r\ncontent-length: 0\r\n`)),
  "many-headers": (socket) => void socket.write(head(`${"x-many: a\r\n".repeat(20_000)}content-length: 0\r\n`)),
  "header-without-end": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nx-drip: ");
    const timer = setInterval(() => socket.write("a"), DRIP_MS);
    socket.on("close", () => clearInterval(timer));
  },
  "slow-drip": (socket, isStream) => {
    socket.write(isStream ? chunked : head("content-length: 100000\r\n"));
    const timer = setInterval(() => socket.write(isStream ? chunk(" ") : " "), DRIP_MS);
    socket.on("close", () => clearInterval(timer));
  },
  silence: () => undefined,
  "silence-after-head": (socket) => void socket.write(chunked),
  "silence-in-body": (socket, isStream) =>
    void socket.write(isStream ? chunked + chunk(line({ delta: "Riv" })) : `${head("content-length: 90\r\n")}{"out`),
  "reset-at-once": (socket) => void socket.resetAndDestroy(),
  "reset-after-head": (socket) => void socket.write(chunked, () => socket.resetAndDestroy()),
  "reset-in-body": (socket, isStream) =>
    void socket.write(
      isStream ? chunked + chunk(line({ delta: "Rivers" })) : `${head("content-length: 90\r\n")}{"out`,
      () => socket.resetAndDestroy(),
    ),
  "huge-usage": plain(usage(1e15, 1e15)),
  "negative-usage": plain(usage(-5, -1e9)),
  "fractional-usage": plain(usage(0.3, 7.9)),
  "usage-in-words": plain(usage("many", null)),
  "usage-beyond-numbers": (socket) =>
    void socket.write(
      whole('{"output":"Rivers flow.","usage":{"input_tokens":1e999,"output_tokens":123456789012345678901234567890}}'),
    ),
  html: (socket) => void socket.write(whole("<html><body>Log in to the hotel's network</body></html>")),
  "html-error": (socket) => void socket.write(whole("<html>502</html>".repeat(5_000), "502 Bad Gateway")),
  "control-characters": (socket) =>
    void socket.write(
      whole(JSON.stringify({ error: { message: "\u0000\u001b[2J\r\nset-cookie: a=b\u202e", code: 500 } }), "500 Oops"),
    ),
  "two-ends": (socket) =>
    void socket.write(
      chunked +
        chunk(line({ delta: "Rivers" })) +
        chunk(line({ done: true, ...usage(12, 4) }).repeat(3) + line({ delta: "more" })) +
        chunk(""),
    ),
  "wrong-tool-calls": (socket) =>
    void socket.write(
      whole('{"output":{"tool_calls":[{"name":7,"arguments":"{"},null,"x"]},"tool_calls":[{"id":{}}]}'),
    ),
  "deep-json": (socket) => void socket.write(whole(`{"output":${"[".repeat(200_000)}${"]".repeat(200_000)}}`)),
  "output-of-no-kind": (socket) => void socket.write(whole('{"output":[null,{"a":1}],"usage":[]}')),
  "no-content": (socket) => void socket.write("HTTP/1.1 204 No Content\r\n\r\n"),
  "strange-status": (socket) => void socket.write(whole("{}", "799 Whatever")),
  "not-http": (socket) => void socket.write("SSH-2.0-OpenSSH_9.6\r\n"),
};

/** A provider with one hostile endpoint for each shape. */
export class HostileProvider {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      let received = "";
      socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
      socket.on("data", (piece: Buffer) => {
        received += piece.toString("latin1");
        const headEnd = received.indexOf("\r\n\r\n");
        const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
        if (headEnd === -1 || received.length < headEnd + 4 + length) return;
        const name = /^\w+ \/([^/ ]+)/.exec(received)?.[1] ?? "";
        const isStream = /"stream":true/.test(received);
        received = "";
        HOSTILE_SHAPES[name]?.(socket, isStream);
      });
    });
  }

  static async start(): Promise<HostileProvider> {
    const provider = new HostileProvider();
    provider.#server.listen(0, "127.0.0.1");
    await once(provider.#server, "listening");
    return provider;
  }

  endpointOf(shape: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/${shape}/v1/generate`;
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
