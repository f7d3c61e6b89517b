import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { FormFile, readMultipart } from "./read-multipart.ts";

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
  it("gives its texts, lists and files", async () => {
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

  it("is refused when it is compressed", async () => {
    const { body, contentType } = await formOf(sampleForm());
    const request = requestOf(body, contentType, { "content-encoding": "gzip" });
    await expect(readMultipart(request, LIMIT, 1_000)).rejects.toMatchObject({
      type: "unsupported_media_type",
    });
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

  it("is refused when it is too large, whether or not it says so before", async () => {
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

  it("keeps names that other objects have of their own apart", async () => {
    const form = new FormData();
    form.append("__proto__", "x");
    form.append("constructor", "y");
    const { fields } = await read(form);
    expect(Object.keys(fields).toSorted()).toEqual(["__proto__", "constructor"]);
  });
});
