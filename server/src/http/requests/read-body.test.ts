import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { Fault } from "@trunkline/core/fault.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FormFile, readBody, readMultipart } from "./read-body.ts";

describe("read-body", () => {
  const LIMIT = 1_024;
  let server: Server;
  let port: number;
  /** How the server handles the next request. */
  let receive: (incoming: IncomingMessage) => void = () => undefined;

  beforeAll(async () => {
    server = createServer((incoming, response) => {
      receive(incoming);
      incoming.on("close", () => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  interface Sent {
    readonly headers?: Readonly<Record<string, string>>;
    readonly chunks?: readonly (string | Buffer)[];
    /** How the sending ends; left out: normally. */
    readonly end?: "never" | "destroy";
    readonly waitMs?: number;
    /** What happens between the arrival of the request and the reading of its body. */
    readonly before?: (incoming: IncomingMessage) => Promise<void>;
  }

  /** Sends a request over a real socket and reads its body on the other side. */
  function send({ headers = {}, chunks = ["{}"], end, waitMs = 10_000, before }: Sent): Promise<string> {
    return new Promise((resolve, reject) => {
      const outgoing = request({
        port,
        host: "127.0.0.1",
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
      });
      outgoing.on("error", () => undefined);
      receive = (incoming) => {
        const read = async () => {
          await before?.(incoming);
          return readBody(incoming, LIMIT, waitMs);
        };
        read()
          .then(resolve, reject)
          .finally(() => outgoing.destroy());
        if (end === "destroy") outgoing.destroy();
      };
      outgoing.flushHeaders();
      for (const chunk of chunks) outgoing.write(chunk);
      if (end === undefined) outgoing.end();
    });
  }

  describe("a body", () => {
    it("is read as it was sent, in one piece or in many, even where a character is cut", async () => {
      const text = '{"input":"Grüße 😀"}';
      const bytes = Buffer.from(text);
      expect(await send({ chunks: [text] })).toBe(text);
      expect(await send({ chunks: [...bytes].map((byte) => Buffer.from([byte])) })).toBe(text);
      expect(await send({ chunks: [] })).toBe("");
    });

    it.each([
      "application/json",
      "application/json; charset=utf-8",
      "application/json;charset=UTF-8",
      'application/json; charset="utf-8"',
      "application/json; charset=utf8",
      "Application/JSON",
      "application/json ; charset=utf-8",
    ])("is taken as %s", async (contentType) => {
      expect(await send({ headers: { "content-type": contentType } })).toBe("{}");
    });

    it.each([
      "",
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/jsonp",
      "application/json-patch+json",
      "application/vnd.api+json",
      "application/json; charset=latin1",
      "application/json; charset=utf-16",
      'application/json; charset="iso-8859-1"',
      "text/plain; application/json",
    ])("is not taken as %j", async (contentType) => {
      await expect(send({ headers: { "content-type": contentType } })).rejects.toMatchObject({
        type: "unsupported_media_type",
        status: 415,
      });
    });

    it.each([
      ["gzip", gzipSync],
      ["X-GZip", gzipSync],
      ["deflate", deflateSync],
      ["br", brotliCompressSync],
      ["identity", (text: string) => Buffer.from(text)],
    ])("may be compressed with %s, also where it comes in pieces", async (encoding, compress) => {
      const text = '{"input":"Grüße 😀"}';
      const bytes = compress(text);
      const headers = { "content-encoding": encoding };
      expect(await send({ chunks: [bytes], headers })).toBe(text);
      expect(await send({ chunks: [...bytes].map((byte) => Buffer.from([byte])), headers })).toBe(text);
    });

    it.each(["zstd", "compress", "deflate, gzip", "gzip, gzip"])(
      "is not taken when it is compressed with %s",
      async (encoding) => {
        await expect(send({ headers: { "content-encoding": encoding } })).rejects.toMatchObject({
          type: "unsupported_media_type",
        });
      },
    );

    it.each([
      ["plain", Buffer.from('{"input":"Hello"}')],
      ["cut off", gzipSync('{"input":"Hello"}').subarray(0, -4)],
      ["compressed otherwise", brotliCompressSync('{"input":"Hello"}')],
    ])("is refused when it is declared as gzip and is %s", async (_what, bytes) => {
      await expect(send({ chunks: [bytes], headers: { "content-encoding": "gzip" } })).rejects.toMatchObject({
        type: "invalid_request",
        message: expect.stringContaining("Content-Encoding"),
      });
    });

    it("may be exactly as large as allowed once it is decompressed, and no larger", async () => {
      const headers = { "content-encoding": "gzip" };
      const ofSize = (size: number) => gzipSync(JSON.stringify("x".repeat(size - 2)));
      expect(await send({ chunks: [ofSize(LIMIT)], headers })).toHaveLength(LIMIT);
      await expect(send({ chunks: [ofSize(LIMIT + 1)], headers })).rejects.toMatchObject({
        type: "payload_too_large",
        message: expect.stringContaining("1,024"),
      });
    });

    it("may be exactly as large as allowed", async () => {
      const text = JSON.stringify("x".repeat(LIMIT - 2));
      expect(await send({ chunks: [text] })).toHaveLength(LIMIT);
    });

    it("is refused one byte past the limit, with or without a content-length", async () => {
      const text = JSON.stringify("x".repeat(LIMIT - 1));
      const tooLarge = { type: "payload_too_large", status: 413, message: expect.stringContaining("1,024") };
      await expect(send({ chunks: [text] })).rejects.toMatchObject(tooLarge);
      await expect(send({ chunks: [text], headers: { "content-length": String(LIMIT + 1) } })).rejects.toMatchObject(
        tooLarge,
      );
      await expect(
        send({ chunks: [], headers: { "content-length": "999999999" }, end: "never" }),
      ).rejects.toMatchObject(tooLarge);
    });

    it("is refused when it does not arrive in time", async () => {
      await expect(send({ chunks: ['{"a":'], end: "never", waitMs: 20 })).rejects.toMatchObject({
        type: "request_timeout",
        status: 408,
      });
    });

    it("is refused when it breaks off", async () => {
      const broken = send({ chunks: ['{"a":'], headers: { "content-length": "100" }, end: "destroy" });
      await expect(broken).rejects.toMatchObject({ type: "invalid_request", status: 400 });
    });

    it("is refused at once when it broke off before it was read", async () => {
      const gone = (incoming: IncomingMessage) => new Promise<void>((resolve) => incoming.on("close", () => resolve()));
      const broken = send({
        chunks: ['{"a":'],
        headers: { "content-length": "100" },
        end: "destroy",
        before: gone,
        waitMs: 1_000,
      });
      await expect(broken).rejects.toMatchObject({ type: "invalid_request" });
    });

    it.each([
      ["half a character", Buffer.from([0x22, 0xc3, 0x22])],
      ["an overlong form", Buffer.from([0x22, 0xc0, 0x80, 0x22])],
      ["half a surrogate pair", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
      ["UTF-16", Buffer.from("{}", "utf16le").subarray(0, 3)],
    ])("is refused where its bytes are not UTF-8: %s", async (what, bytes) => {
      const sent = send({ chunks: [bytes] });
      if (what === "UTF-16") expect(await sent).toContain("\u0000");
      else
        await expect(sent).rejects.toMatchObject({
          type: "invalid_request",
          message: expect.stringContaining("UTF-8"),
        });
    });
  });
});

describe("read-multipart", () => {
  const LIMIT = 100_000;

  function requestOf(body: Buffer | string, contentType: string | undefined, more = {}): IncomingMessage {
    const stream = new PassThrough();
    stream.end(body);
    return Object.assign(stream, {
      headers: { ...(contentType === undefined ? {} : { "content-type": contentType }), ...more },
    }) as unknown as IncomingMessage;
  }

  async function formOf(form: FormData): Promise<{ body: Buffer; contentType: string }> {
    const response = new Response(form);
    return {
      body: Buffer.from(await response.arrayBuffer()),
      contentType: response.headers.get("content-type") ?? "",
    };
  }

  async function read(form: FormData, limitBytes = LIMIT) {
    const { body, contentType } = await formOf(form);
    return readMultipart(requestOf(body, contentType), limitBytes, 1_000);
  }

  function sampleForm(): FormData {
    const form = new FormData();
    form.append("file", new Blob([Buffer.from([0, 1, 2, 255, 13, 10])], { type: "audio/wav" }), "a.wav");
    form.append("model", "whisper-1");
    form.append("timestamp_granularities[]", "word");
    form.append("timestamp_granularities[]", "segment");
    return form;
  }

  describe("a multipart form", () => {
    it("is read into texts, lists and files", async () => {
      const { fields } = await read(sampleForm());
      expect(fields).toEqual({
        file: new FormFile("a.wav", "audio/wav", Buffer.from([0, 1, 2, 255, 13, 10])),
        model: "whisper-1",
        timestamp_granularities: ["word", "segment"],
      });
    });

    it("has one digest whatever its boundary, and another for another byte", async () => {
      const [one, again] = [await read(sampleForm()), await read(sampleForm())];
      expect(one.digest).toBe(again.digest);
      const changed = sampleForm();
      changed.set("file", new Blob([Buffer.from([0, 1, 2, 254, 13, 10])], { type: "audio/wav" }), "a.wav");
      expect((await read(changed)).digest).not.toBe(one.digest);
      const renamed = sampleForm();
      renamed.set("model", "whisper-2");
      expect((await read(renamed)).digest).not.toBe(one.digest);
    });

    it.each([undefined, "application/json", "multipart/form-data", "multipart/mixed; boundary=x"])(
      "is refused as %s",
      async (contentType) => {
        const { body } = await formOf(sampleForm());
        await expect(readMultipart(requestOf(body, contentType), LIMIT, 1_000)).rejects.toMatchObject({
          type: "unsupported_media_type",
        });
      },
    );

    it("may be compressed", async () => {
      const { body, contentType } = await formOf(sampleForm());
      const request = requestOf(gzipSync(body), contentType, { "content-encoding": "gzip" });
      expect(await readMultipart(request, LIMIT, 1_000)).toEqual(await read(sampleForm()));
    });

    it("is refused at every place where it may break off", async () => {
      const { body, contentType } = await formOf(sampleForm());
      const end = body.lastIndexOf("--");
      for (let length = 0; length < end; length++) {
        const cut = requestOf(body.subarray(0, length), contentType);
        await expect(readMultipart(cut, LIMIT, 1_000), `at ${length}`).rejects.toMatchObject({
          type: "invalid_request",
        });
      }
    });

    it.each([
      '--x\r\nContent-Disposition: form-data; name="model"\r\n--x--\r\n',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n--x--\r\n',
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x\r\nname: b\r\n--x--\r\n',
      "--x\r\n\r\n\n",
    ])("is refused where a part has no end of its headers: %j", async (body) => {
      const request = requestOf(Buffer.from(body), "multipart/form-data; boundary=x");
      await expect(readMultipart(request, LIMIT, 1_000)).rejects.toMatchObject({ type: "invalid_request" });
    });

    it("is read or refused whatever its pieces are", async () => {
      const pieces = [
        "--x",
        "--x\r\n",
        "--x--\r\n",
        "\r\n",
        "\r\n\r\n",
        "\n",
        "--",
        ":",
        "\0",
        "data",
        "a".repeat(9_000),
      ];
      const headers = ['form-data; name="a"', 'form-data; name="f"; filename="x"', "form-data", 'form-data; name="a\\'];
      const piece = fc.constantFrom(...pieces, ...headers.map((header) => `Content-Disposition: ${header}`));
      const forms = fc.array(piece, { maxLength: 12 }).map((list) => `--x\r\n${list.join("")}`);
      await fc.assert(
        fc.asyncProperty(forms, async (body) => {
          const request = requestOf(Buffer.from(body), "multipart/form-data; boundary=x");
          const outcome = await readMultipart(request, LIMIT, 1_000).catch((error: unknown) => error);
          expect(outcome instanceof Fault ? outcome.type : "read").toMatch(/^(?:invalid_request|read)$/);
        }),
        { numRuns: 500 },
      );
    });

    it("is refused when it is too large, with or without a content-length", async () => {
      await expect(read(sampleForm(), 100)).rejects.toMatchObject({ type: "payload_too_large" });
      const { body, contentType } = await formOf(sampleForm());
      const announced = requestOf(body, contentType, { "content-length": "100001" });
      await expect(readMultipart(announced, LIMIT, 1_000)).rejects.toMatchObject({
        type: "payload_too_large",
      });
    });

    it("is refused when it never ends", async () => {
      const stream = new PassThrough();
      stream.write("--x\r\n");
      const request = Object.assign(stream, {
        headers: { "content-type": "multipart/form-data; boundary=x" },
      }) as unknown as IncomingMessage;
      await expect(readMultipart(request, LIMIT, 20)).rejects.toMatchObject({ type: "request_timeout" });
      stream.destroy();
      await once(stream, "close");
    });

    it("is refused when a name comes twice, a text is too long, or there are too many", async () => {
      const twice = sampleForm();
      twice.append("model", "other");
      await expect(read(twice)).rejects.toMatchObject({ details: { param: "model" } });
      const long = sampleForm();
      long.append("prompt", "x".repeat(65 * 1024));
      await expect(read(long)).rejects.toMatchObject({ details: { param: "prompt" } });
      const many = new FormData();
      for (let field = 0; field < 100; field++) many.append(`field${field}`, "x");
      await expect(read(many)).rejects.toMatchObject({ type: "invalid_request" });
    });

    it("takes field names that objects have by themselves", async () => {
      const form = new FormData();
      form.append("__proto__", "x");
      form.append("constructor", "y");
      const { fields } = await read(form);
      expect(Object.keys(fields).toSorted()).toEqual(["__proto__", "constructor"]);
    });
  });
});
