import { gzipSync } from "node:zlib";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { head, RawConnection } from "@trunkline/testing/raw-connection.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { balanceOf } from "../support/customer.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

const OPERATIONS = ["/v1/ai/request", "/v1/generate", "/v1/stream", "/v1/image", "/v1/audio"];
const MIB = 1024 * 1024;

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  for (const [name, more] of [
    ["plain", {}],
    ["seer", { type: "multimodal" }],
    ["painter", { type: "image", pricing: { per_image: 1 } }],
    ["speaker", { type: "audio", pricing: { per_request: 1 } }],
  ] as const) {
    await service.call("POST", "/v1/provider/models", registrationOf(provider, name, more));
  }
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

/** A whole, valid body, so that only what a test adds can be at fault. */
const VALID = '"task": "chat", "input": "Hello"';

describe.each(OPERATIONS)("a body at %s that can't be read", (path) => {
  // The promise behind every refusal, whatever it was for.
  afterEach(async () => {
    expect(provider.calls).toHaveLength(0);
    expect(await balanceOf(service)).toMatchObject({ balance: 1000, held: 0 });
  });

  it.each([
    ["nothing at all", ""],
    ["blank", " \n\t"],
    ["cut off", `{${VALID}`],
    ["with something after it", `{${VALID}}}`],
    ["two documents", `{${VALID}}{${VALID}}`],
    ["with a comma too many", `{${VALID},}`],
    ["in single quotes", "{'input': 'Hello'}"],
    ["with a comment", `{${VALID} /* hi */}`],
    ["with NaN", `{${VALID}, "parameters": {"temperature": NaN}}`],
    ["with Infinity", `{${VALID}, "parameters": {"temperature": -Infinity}}`],
    ["with a hexadecimal number", `{${VALID}, "parameters": {"max_tokens": 0x10}}`],
    ["with a leading zero", `{${VALID}, "parameters": {"max_tokens": 010}}`],
    ["with a raw line break in a string", '{"task": "chat", "input": "a\nb"}'],
    ["with a broken escape", String.raw`{"task": "chat", "input": "\u12"}`],
    ["a form", "task=chat&input=Hello"],
  ])("is refused as malformed JSON: %s", async (_name, body) => {
    expectRefusal(await service.call("POST", path, body), 400, "invalid_request", { message: /JSON/ });
  });

  it.each(["[]", `[{${VALID}}]`, '"Hello"', "42", "true", "null"])(
    "is refused when it is no object: %s",
    async (body) => {
      expectRefusal(await service.call("POST", path, body), 400, "invalid_request", { message: /object/ });
    },
  );

  it.each([
    ["input", `{${VALID}, "input": "Bye"}`],
    ["input", `{${VALID}, "inp\\u0075t": "Bye"}`],
    ["max_tokens", `{${VALID}, "parameters": {"max_tokens": 1, "max_tokens": 1000000}}`],
    ["url", `{${VALID}, "attachments": [{"type": "image", "url": "https://a.example/", "url": "x"}]}`],
    ["a", `{${VALID}, "unheard": {"of": [{"a": 1, "b": 2, "a": 1}]}}`],
  ])("is refused when it gives a key twice: %s", async (param, body) => {
    expectRefusal(await service.call("POST", path, body), 400, "invalid_request", {
      param,
      message: /twice/,
    });
  });

  it("is refused when it is nested 65 deep", async () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const deep = `{${VALID}, "deep": ${open.repeat(64)}1${close.repeat(64)}}`;
      expectRefusal(await service.call("POST", path, deep), 400, "invalid_request", { message: /64/ });
    }
  });

  it("is refused when it is not UTF-8", async () => {
    const latin = Buffer.from(`{${VALID.replace("Hello", "Gr\u00fc\u00dfe")}}`, "latin1");
    const overlong = Buffer.concat([
      Buffer.from('{"task":"chat","input":"'),
      Buffer.from([0xc0, 0x80]),
      Buffer.from('"}'),
    ]);
    for (const body of [latin, overlong]) {
      expectRefusal(await service.call("POST", path, body), 400, "invalid_request", { message: /UTF-8/ });
    }
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "application/jsonp",
    "text/json",
    "json",
    "application/json; charset=iso-8859-1",
    "application/json; charset=utf-16",
    'application/json; charset="us-ascii"',
  ])("is refused with 415 under the content type %s", async (type) => {
    const answer = await service.call("POST", path, `{${VALID}}`, { headers: { "content-type": type } });
    expectRefusal(answer, 415, "unsupported_media_type");
  });

  it("is refused with 415 when it has no content type", async () => {
    const client = await RawConnection.open(service.url);
    const body = `{${VALID}}`;
    client.send(
      head(
        `POST ${path} HTTP/1.1`,
        "Host: trunkline",
        `Authorization: Bearer ${OPERATOR_KEY}`,
        `Content-Length: ${body.length}`,
      ) + body,
    );
    expectRefusal(await client.answer(), 415, "unsupported_media_type");
    client.hangUp();
  });

  it("is refused with 415 when it is compressed in a way that is not known, or twice", async () => {
    for (const encoding of ["zstd", "identity, gzip", "gzip, gzip"]) {
      const answer = await service.call("POST", path, gzipSync(`{${VALID}}`), {
        headers: { "content-encoding": encoding },
      });
      expectRefusal(answer, 415, "unsupported_media_type");
    }
  });

  it("is refused with 413 when it is over 1 MiB, declared in advance, chunked, or not even JSON", async () => {
    const large = `{${VALID}, "unheard": "${"x".repeat(MIB)}"}`;
    expectRefusal(await service.call("POST", path, large), 413, "payload_too_large");
    expectRefusal(await sendInChunks(path, large), 413, "payload_too_large");
    expectRefusal(await service.call("POST", path, "x".repeat(MIB + 1)), 413, "payload_too_large");
    const emptyHanded = `{${VALID}, "attachments": [], "unheard": "${"x".repeat(MIB)}"}`;
    expectRefusal(await service.call("POST", path, emptyHanded), 413, "payload_too_large");
  });

  it("is refused with 413 by its announced length alone", async () => {
    const client = await RawConnection.open(service.url);
    client.send(
      head(
        `POST ${path} HTTP/1.1`,
        "Host: trunkline",
        `Authorization: Bearer ${OPERATOR_KEY}`,
        "Content-Type: application/json",
        "Content-Length: 99999999999",
      ),
    );
    expectRefusal(await client.answer(), 413, "payload_too_large");
    await client.closed();
  });
});

describe("a body at the edge of what is taken", () => {
  it("passes with 64 levels, exactly 1 MiB, a byte order mark, and any way to write the content type", async () => {
    const deep = `{${VALID}, "model": "plain", "deep": ${"[".repeat(63)}${"]".repeat(63)}}`;
    expect((await service.call("POST", "/v1/ai/request", deep)).status).toBe(200);
    const start = `{${VALID}, "model": "plain", "unheard": "`;
    const full = `${start}${"x".repeat(MIB - start.length - 2)}"}`;
    expect(Buffer.byteLength(full)).toBe(MIB);
    expect((await service.call("POST", "/v1/ai/request", full)).status).toBe(200);
    const marked = `\ufeff{${VALID}, "model": "plain"}`;
    expect((await service.call("POST", "/v1/ai/request", marked)).status).toBe(200);
    for (const type of ["application/json;charset=UTF-8", 'application/json; charset="utf-8"', "Application/JSON"]) {
      const answer = await service.call("POST", "/v1/ai/request", `{${VALID}, "model": "plain"}`, {
        headers: { "content-type": type },
      });
      expect(answer.status, type).toBe(200);
    }
  });

  it("may hold 16 attachments of several MiB together", async () => {
    const url = `data:image/png;base64,${"A".repeat(MIB)}`;
    const attachments = Array.from({ length: 16 }, () => ({ type: "image", url }));
    provider.calls.length = 0;
    const answer = await service.call("POST", "/v1/ai/request", { task: "vision", input: "Hi", attachments });
    expect(answer.status, answer.text).toBe(200);
    expect(provider.calls[0]?.body.attachments).toHaveLength(16);
  });

  it("ends at 20 MiB, and the client can read the refusal", async () => {
    const url = `data:image/png;base64,${"A".repeat(21 * MIB)}`;
    const huge = JSON.stringify({ task: "vision", input: "Hi", attachments: [{ type: "image", url }] });
    provider.calls.length = 0;
    expectRefusal(await service.call("POST", "/v1/ai/request", huge), 413, "payload_too_large");
    expectRefusal(await sendInChunks("/v1/stream", huge), 413, "payload_too_large");
    expect(provider.calls).toHaveLength(0);
  });
});

async function sendInChunks(path: string, text: string) {
  const client = await RawConnection.open(service.url);
  client.send(
    head(
      `POST ${path} HTTP/1.1`,
      "Host: trunkline",
      `Authorization: Bearer ${OPERATOR_KEY}`,
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    ),
  );
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 256 * 1024) {
    const piece = bytes.subarray(at, at + 256 * 1024);
    client.send(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]));
  }
  client.send("0\r\n\r\n");
  const answer = await client.answer();
  client.hangUp();
  return answer;
}
