import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_ENDPOINTS } from "../../src/http/server/endpoint-registry.ts";
import { openCustomer } from "../support/customer.ts";
import { answerEverything, EVERY_MODEL, INFERENCE_SAMPLES } from "../support/inference-samples.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type Answer, type StartedService, startService } from "../support/started-service.ts";

/** What is served below the framework where nothing about it is odd. */
const PATHS = ALL_ENDPOINTS.filter(
  ({ kind, method, path }) => kind === "inference" && method === "POST" && !/[:*]/.test(path),
).map(({ path }) => path);

let service: StartedService;
let upstream: Upstream;
let key: string;

beforeAll(async () => {
  service = await startService((config) => ({ ...config, trustProxy: 2 }));
  upstream = await startUpstream();
  upstream.answer(answerEverything("All is well."));
  for (const [name, more] of Object.entries(EVERY_MODEL))
    await registerUpstream(service, { wire: "openai", name, endpoint: `${upstream.url}/v1` }, more);
  key = (await openCustomer(service, 100, { requests_per_minute: 60_000 })).key;
});

afterAll(async () => {
  await service.stop();
  await upstream.close();
});

/** What differs between any two answers: ids, times, and how much of a limit is left. */
function comparable({ status, headers, text }: Answer) {
  const told = Object.fromEntries(
    [...headers].map(([name, value]) =>
      /^(date|server-timing|ratelimit|content-length|.*request-id)$/.test(name) ? [name, ""] : [name, value],
    ),
  );
  const said = text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID")
    .replace(/"([a-z]+[_-])?[A-Za-z0-9]{22,}"/g, '"ID"')
    .replace(/"(created|created_at|completed_at|latency_ms|total_duration|eval_duration)": ?[\d.]+/g, '"$1":0')
    .replace(/"created_at":"[^"]+"/g, '"created_at":0');
  return { status, told, said };
}

/** The same request on both ways. A cookie of somebody else makes it one that the framework serves. */
async function onBothWays(path: string, body: unknown, options: { key: string | null; headers?: object }) {
  const direct = await service.call("POST", path, body, { ...options, headers: { ...options.headers } });
  const framed = await service.call("POST", path, body, {
    ...options,
    headers: { ...options.headers, cookie: "theme=dark" },
  });
  return [comparable(direct), comparable(framed)] as const;
}

describe.each(PATHS)("%s below the framework", (path) => {
  const sample = INFERENCE_SAMPLES[path];
  const bodyOf = (words: string): unknown => {
    const body = sample?.body(sample.model, words);
    return body instanceof FormData ? {} : body;
  };
  it.each([
    ["an answer", () => bodyOf("Hello there"), 200],
    ["an unknown model", () => ({ ...(bodyOf("Hello there") as object), model: "nobody" }), 404],
    ["a body that says nothing", () => ({}), 400],
    ["a body that is no JSON", () => "{", 400],
    ["a stream where it gives one", () => sample?.streamed?.(sample.model, "Hello there") ?? bodyOf("Hello"), 200],
  ])("gives the same for %s", async (_name, body, status) => {
    const [direct, framed] = await onBothWays(path, body(), { key });
    expect(direct).toEqual(framed);
    if (!(sample?.body("", "") instanceof FormData)) expect(direct.status).toBe(status);
  });
});

describe("below the framework", () => {
  it.each([
    ["no key", { key: null }],
    ["a wrong key", { key: "tl_nobody" }],
    ["an id of the client's own", { headers: { "x-client-request-id": "mine-1" } }],
    ["addresses of proxies", { headers: { "x-forwarded-for": "1.2.3.4, 5.6.7.8,, 9.10.11.12" } }],
    ["an idempotency key that can't be one", { headers: { "idempotency-key": "\u00e9" } }],
    ["a content type in capitals", { headers: { "content-type": "Application/JSON" } }],
    ["a charset that is not taken", { headers: { "content-type": "application/json; charset=latin1" } }],
    ["a compressed body", { headers: { "content-encoding": "gzip" } }],
  ])("the same is said to %s", async (_name, options) => {
    const body = { task: "text", input: "Hello there", model: "every-talker" };
    const [direct, framed] = await onBothWays("/v1/ai/request", body, { key, ...options });
    expect(direct).toEqual(framed);
  });

  it("a key that is bound to addresses is held to the address that the nearest proxies saw", async () => {
    const bound = await openCustomer(service, 1, { ips: ["5.6.7.8/32"] });
    const ask = (addresses: string) =>
      service.call(
        "POST",
        "/v1/ai/request",
        { task: "text", input: "Hello there", model: "every-talker" },
        { key: bound.key, headers: { "x-forwarded-for": addresses } },
      );
    expect((await ask("1.1.1.1, 5.6.7.8, 10.0.0.1")).status).toBe(200);
    expect((await ask("5.6.7.8, 1.1.1.1, 10.0.0.1")).status).toBe(403);
    expect((await ask("5.6.7.8")).status).toBe(200);
  });

  it.each([{}, { cookie: "theme=dark" }])(
    "an error of our own at the end of a request leaves its answer and all others: %j",
    async (headers) => {
      const { services } = service;
      const { observeRequest } = services;
      const observe: { observeRequest: typeof observeRequest } = services;
      let failed = 0;
      observe.observeRequest = (...request) => {
        observeRequest(...request);
        if (failed++ === 0) throw new Error("A fault of our own.");
      };
      const body = { task: "text", input: "Hello there", model: "every-talker" };
      const ask = () => service.call("POST", "/v1/ai/request", body, { key, headers });
      const answers = await Promise.all(Array.from({ length: 8 }, ask));
      observe.observeRequest = observeRequest;
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect(service.logged()).toContain("A fault of our own.");
      await expect.poll(() => services.limits.admissionQueue.running).toBe(0);
    },
  );
});
