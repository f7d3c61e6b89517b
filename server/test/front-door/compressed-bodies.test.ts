import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_ENDPOINTS } from "../../src/http/server/endpoint-registry.ts";
import { openCustomer } from "../support/customer.ts";
import { answerEverything, EVERY_MODEL, INFERENCE_SAMPLES } from "../support/inference-samples.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type StartedService, startService } from "../support/started-service.ts";

const MEBIBYTE = 1024 * 1024;
const PATHS = ALL_ENDPOINTS.filter(({ kind, path }) => kind === "inference" && !/[:*]/.test(path)).map(
  ({ path }) => path,
);

let service: StartedService;
let upstream: Upstream;
let key: string;

beforeAll(async () => {
  service = await startService((config) => ({
    ...config,
    limits: { ...config.limits, attachmentBodyBytes: 4 * MEBIBYTE },
  }));
  upstream = await startUpstream();
  upstream.answer(answerEverything("All is well."));
  for (const [name, more] of Object.entries(EVERY_MODEL))
    await registerUpstream(service, { wire: "openai", name, endpoint: `${upstream.url}/v1` }, more);
  key = (await openCustomer(service, 100)).key;
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

describe("a compressed body", () => {
  it.each(PATHS)("is taken at %s", async (path) => {
    const sample = INFERENCE_SAMPLES[path];
    const sent = new Response(toBody(sample?.body(sample.model, "Say that all is well.")));
    const contentType = sent.headers.get("content-type");
    const answer = await service.call("POST", path, gzipSync(Buffer.from(await sent.arrayBuffer())), {
      key,
      headers: {
        "content-encoding": "gzip",
        "content-type": contentType?.startsWith("multipart/") === true ? contentType : "application/json",
      },
    });
    expect(answer.status, answer.text).toBe(200);
  });

  it.each([
    ["below the framework", {}],
    ["within it", { cookie: "theme=dark" }],
  ])("may use each encoding, %s", async (_where, more) => {
    const body = JSON.stringify({ task: "text", input: "Hello", model: "every-talker" });
    for (const [encoding, compress] of [
      ["gzip", gzipSync],
      ["deflate", deflateSync],
      ["br", brotliCompressSync],
    ] as const) {
      const headers = { "content-encoding": encoding, "content-type": "application/json", ...more };
      const answer = await service.call("POST", "/v1/ai/request", compress(body), { key, headers });
      expect(answer.status, `${encoding}: ${answer.text}`).toBe(200);
      expect(answer.json).toMatchObject({ output: "All is well." });
    }
  });

  it("is taken by operations outside of inference, which are bounded alike", async () => {
    const headers = { "content-encoding": "gzip", "content-type": "application/json" };
    const created = await service.call("POST", "/v1/keys", gzipSync('{"name":"small","scopes":["inference"]}'), {
      headers,
    });
    expect(created.status, created.text).toBe(201);
    const bomb = gzipSync(JSON.stringify({ name: "x".repeat(64 * MEBIBYTE) }));
    expect(bomb.length).toBeLessThan(MEBIBYTE);
    for (const path of ["/v1/keys", "/v1/ai/request", "/openai/v1/chat/completions"])
      expect((await service.call("POST", path, bomb, { headers })).status, path).toBe(413);
  });
});

function toBody(body: unknown): FormData | string {
  return body instanceof FormData ? body : JSON.stringify(body);
}
