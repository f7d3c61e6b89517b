import { RawConnection } from "@trunkline/testing/raw-connection.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALL_ENDPOINTS } from "../../src/http/server/endpoint-registry.ts";
import { openCustomer } from "../support/customer.ts";
import { answerEverything, EVERY_MODEL, INFERENCE_SAMPLES } from "../support/inference-samples.ts";
import { registerUpstream, startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type Answer, OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

const MEBIBYTE = 1024 * 1024;
const CHAT = "/openai/v1/chat/completions";
const PATHS = ALL_ENDPOINTS.filter(({ kind, path }) => kind === "inference" && !/[:*]/.test(path)).map(
  ({ path }) => path,
);

let service: StartedService;
let upstream: Upstream;
let key: string;

beforeAll(async () => {
  service = await startService((config) => ({
    ...config,
    limits: { ...config.limits, attachmentBodyBytes: 2 * MEBIBYTE, bodyMemoryBytes: 6 * MEBIBYTE },
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

function comparable({ status, text }: Answer) {
  const said = text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID")
    .replace(/"([a-z]+[_-])?[A-Za-z0-9]{22,}"/g, '"ID"')
    .replace(/"(created|created_at|completed_at|latency_ms|total_duration|eval_duration)": ?[\d.]+/g, '"$1":0')
    .replace(/"created_at":"[^"]+"/g, '"created_at":0');
  return { status, said };
}

/** The head of a request whose body is still to come. */
function headOf(path: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries({ "content-type": "application/json", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `POST ${path} HTTP/1.1\r\nhost: x\r\n${lines.join("")}\r\n`;
}

describe("a large body", () => {
  it.each(PATHS)("is answered at %s as a small one that says the same", async (path) => {
    const sample = INFERENCE_SAMPLES[path];
    const body = sample?.body(sample.model, "Say that all is well.");
    if (body === undefined || body instanceof FormData) return;
    const options = { stream_options: { include_usage: true }, encoding_format: "base64", metadata: { a: "b" } };
    const small = await service.call("POST", path, { ...(body as object), ...options });
    const large = await service.call("POST", path, { ...(body as object), ...options, padding: "é".repeat(300_000) });
    expect(comparable(large)).toEqual(comparable(small));
  });

  it("is refused with more than 200,000 values", async () => {
    const junk = `[${"[],".repeat(200_000)}[]]`;
    const answer = await service.call("POST", CHAT, `{"model":"m","messages":[],"junk":${junk}}`);
    expect(answer.status).toBe(400);
    expect(answer.json.error.message).toContain("more than 200,000 values");
  });

  it("is refused by its announced size while the bodies of its key fill their share of memory", async () => {
    const first = await RawConnection.open(service.url);
    first.send(headOf(CHAT, { authorization: `Bearer ${key}`, "content-length": 1.5 * MEBIBYTE }));
    await expect.poll(() => service.services.limits.bodyMemory.bytes).toBe(1.5 * MEBIBYTE);
    const second = await service.call("POST", CHAT, { padding: "x".repeat(MEBIBYTE) }, { key });
    expect(second.status).toBe(429);
    expect(second.headers.get("retry-after")).toBe("1");
    first.hangUp();
    await expect.poll(() => service.services.limits.bodyMemory.bytes).toBe(0);
    const third = await service.call("POST", CHAT, { padding: "x".repeat(MEBIBYTE) }, { key });
    expect(third.status).toBe(400);
    await expect.poll(() => service.services.limits.bodyMemory.bytes).toBe(0);
  });

  it("without an announced size is counted as it arrives", async () => {
    const connection = await RawConnection.open(service.url);
    connection.send(headOf(CHAT, { authorization: `Bearer ${OPERATOR_KEY}`, "transfer-encoding": "chunked" }));
    connection.send(`80000\r\n${" ".repeat(0x80000)}\r\n`);
    await expect.poll(() => service.services.limits.bodyMemory.bytes).toBe(0x80000);
    connection.hangUp();
    await expect.poll(() => service.services.limits.bodyMemory.bytes).toBe(0);
  });
});

describe("a body without an end", () => {
  it.each([
    [401, CHAT, { authorization: "Bearer wrong" }],
    [401, "/v1/keys", {}],
    [404, "/v1/nothing", { authorization: `Bearer ${OPERATOR_KEY}` }],
    [404, "/nothing", {}],
    [405, "/healthz", {}],
    [413, CHAT, { authorization: `Bearer ${OPERATOR_KEY}` }],
    [415, CHAT, { authorization: `Bearer ${OPERATOR_KEY}`, "content-type": "text/plain" }],
  ] as const)("is answered with %s at %s, and then closes the connection", async (status, path, headers) => {
    const connection = await RawConnection.open(service.url);
    connection.send(headOf(path, { ...headers, "transfer-encoding": "chunked" }));
    const chunk = `40000\r\n${" ".repeat(0x40000)}\r\n`;
    const sending = setInterval(() => connection.send(chunk), 10);
    try {
      expect((await connection.answer()).status).toBe(status);
      await connection.closed();
    } finally {
      clearInterval(sending);
      connection.hangUp();
    }
  });
});
