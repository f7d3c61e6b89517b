import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { PUBLIC_ENDPOINT } from "../support/other-accounts-model.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let otherAccount: Customer;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  otherAccount = await openCustomer(service, 0);
});

afterAll(async () => {
  // Nothing that was refused has left a trace.
  expect((await service.call("GET", "/v1/provider/models")).json.data).toEqual([]);
  expect(provider.calls).toHaveLength(0);
  await service.stop();
  await provider.stop();
});

const register = (change: Record<string, unknown>, key?: string) =>
  service.call(
    "POST",
    "/v1/provider/models",
    registrationOf(provider, "model", change),
    key === undefined ? {} : { key },
  );

const pricing = (change: Record<string, unknown>) => ({
  pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002, ...change },
});

describe("a registration with a wrong field", () => {
  it.each([
    ["name", { name: undefined }],
    ["name", { name: null }],
    ["name", { name: "" }],
    ["name", { name: 5 }],
    ["name", { name: "auto" }],
    ["name", { name: "Auto" }],
    ["name", { name: "-starts-with-a-dash" }],
    ["name", { name: ".hidden" }],
    ["name", { name: "two words" }],
    ["name", { name: "provider/model" }],
    ["name", { name: "m\u00f6del" }],
    ["name", { name: "model\n" }],
    ["name", { name: "m".repeat(129) }],
    ["type", { type: undefined }],
    ["type", { type: "video" }],
    ["type", { type: "Text" }],
    ["endpoint", { endpoint: undefined }],
    ["endpoint", { endpoint: 5 }],
    ["auth_type", { auth_type: "basic" }],
    ["auth_type", { auth_type: "Bearer" }],
    ["credential", { credential: undefined }],
    ["credential", { credential: null }],
    ["credential", { credential: "" }],
    ["credential", { credential: "two words" }],
    ["credential", { credential: "line\r\nx-evil: 1" }],
    ["pricing", { pricing: undefined }],
    ["pricing", { pricing: null }],
    ["pricing", { pricing: 0.001 }],
    ["pricing.input_per_1k_tokens", { pricing: {} }],
    ["pricing.input_per_1k_tokens", pricing({ input_per_1k_tokens: undefined })],
    ["pricing.output_per_1k_tokens", pricing({ output_per_1k_tokens: undefined })],
    ["pricing.input_per_1k_tokens", pricing({ input_per_1k_tokens: -0.001 })],
    ["pricing.input_per_1k_tokens", pricing({ input_per_1k_tokens: 1000.1 })],
    ["pricing.output_per_1k_tokens", pricing({ output_per_1k_tokens: 1001 })],
    ["pricing.output_per_1k_tokens", pricing({ output_per_1k_tokens: "0.002" })],
    ["pricing.output_per_1k_tokens", pricing({ output_per_1k_tokens: null })],
    ["pricing.per_request", pricing({ per_request: -1 })],
    ["pricing.per_image", pricing({ per_image: 1e-10 })],
    ["pricing.input_per_1k_tokens", { type: "image", pricing: {} }],
    ["pricing.input_per_1k_tokens", { type: "audio", pricing: {} }],
    ["pricing.input_per_1k_tokens", { pricing: { per_second: 1, cached_input_per_1k_tokens: 1 } }],
    ["pricing.cached_input_per_1k_tokens", pricing({ cached_input_per_1k_tokens: -0.001 })],
    ["pricing.cached_input_per_1k_tokens", pricing({ cached_input_per_1k_tokens: "0.001" })],
    ["pricing.per_second", pricing({ per_second: -1 })],
    ["pricing.per_second", pricing({ per_second: null })],
    ["pricing.per_second", pricing({ per_second: 1e-10 })],
    ["capabilities", { capabilities: "chat" }],
    ["capabilities[0]", { capabilities: [""] }],
    ["capabilities[0]", { capabilities: ["x".repeat(65)] }],
    ["specialties[1]", { specialties: ["law", 5] }],
    ["performance.accuracy_score", { performance: { accuracy_score: 1.1 } }],
    ["performance.avg_latency_ms", { performance: { avg_latency_ms: -1 } }],
    ["streaming", { streaming: "yes" }],
    ["context_window", { context_window: 0 }],
    ["max_output_tokens", { max_output_tokens: 1.5 }],
    ["backups", { backups: "other" }],
    ["limits.first_byte_ms", { limits: { first_byte_ms: 0 } }],
    ["limits.whole_ms", { limits: { whole_ms: "long" } }],
    ["description", { description: "nul \u0000 byte" }],
    ["capabilities[0]", { capabilities: ["nul \u0000 byte"] }],
  ])("is refused by its name: %s", async (param, change) => {
    expectRefusal(await register(change), 400, "invalid_request", { param });
  });

  it("says which values an enum has", async () => {
    expectRefusal(await register({ type: "video" }), 400, "invalid_request", {
      param: "type",
      message: /text, image, audio, multimodal, embedding/,
    });
    expectRefusal(await register({ auth_type: "basic" }), 400, "invalid_request", {
      param: "auth_type",
      message: /bearer, x-api-key, none/,
    });
  });

  it("never repeats the credential", async () => {
    const answer = await register({ credential: "s3cret with a space" });
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain("s3cret");
  });

  it.each(["{", "[]", "null", '{"name": "a", "name": "b"}'])("is refused whole: %s", async (body) => {
    const answer = await service.call("POST", "/v1/provider/models", body);
    expect(answer.status).toBe(400);
    expect(answer.json.error.type).toBe("invalid_request");
  });
});

describe("an endpoint", () => {
  it.each([
    "http://93.184.215.14/v1/generate",
    "http://example.com/v1/generate",
    "https://127.0.0.1/v1/generate",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://0/",
    "https://0.0.0.0/",
    "https://10.0.0.1/",
    "https://172.16.0.1/",
    "https://192.168.1.1/",
    "https://100.64.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166/",
    "https://168.63.129.16/",
    "https://[::1]/",
    "https://[::]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:a9fe:a9fe]/",
    "https://[fe80::1]/",
    "https://[fc00::1]/",
    "https://[fd00:ec2::254]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[2002:7f00:1::]/",
    "https://localhost/",
    "https://localhost./",
    "https://LOCALHOST:8443/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://192.0.2.1/",
    "https://user:pass@93.184.215.14/v1/generate",
    "https://user@93.184.215.14/v1/generate",
    "https://93.184.215.14@127.0.0.1/",
    "https://\uff11\uff12\uff17.0.0.1/",
    "https://127\u30020\u30020\u30021/",
    "https://no-such-host.invalid/v1/generate",
    "https://",
    "//93.184.215.14/",
    "93.184.215.14",
    "ftp://93.184.215.14/",
    "file:///etc/passwd",
    "gopher://93.184.215.14/",
    "data:application/json,{}",
    "javascript:alert(1)",
    "https://93.184.215.14/a b",
    "https://93.184.215.14/\r\nx-evil: 1",
    `https://93.184.215.14/${"x".repeat(2_100)}`,
    "",
  ])("is refused for a key without `admin`: %j", async (endpoint) => {
    expectRefusal(await register({ endpoint }, otherAccount.key), 400, "invalid_request", { param: "endpoint" });
  });

  it("can't be moved by PATCH to where it could not be registered", async () => {
    const made = await register({ endpoint: PUBLIC_ENDPOINT }, otherAccount.key);
    expect(made.status, made.text).toBe(201);
    for (const endpoint of [provider.endpoint, "https://127.0.0.1/", "https://[::1]/"]) {
      const answer = await service.call("PATCH", "/v1/provider/models/model", { endpoint }, { key: otherAccount.key });
      expectRefusal(answer, 400, "invalid_request", { param: "endpoint" });
    }
    const { json } = await service.call("GET", "/v1/provider/models/model", undefined, { key: otherAccount.key });
    expect(json.endpoint).toBe(PUBLIC_ENDPOINT);
  });

  it("of an operator may be plain http and private, but not anything", async () => {
    for (const endpoint of [
      "http://127.0.0.1:11434/v1/generate",
      "http://localhost:8000/v1/generate",
      "http://ollama.internal/v1/generate",
      "http://[::1]:9/v1/generate",
      "https://10.0.0.5/v1/generate",
    ]) {
      const made = await register({ endpoint });
      expect(made.status, `${endpoint}: ${made.text}`).toBe(201);
      expect(made.json).toMatchObject({ endpoint, state: "active" });
      expect((await service.call("DELETE", "/v1/provider/models/model")).status).toBe(204);
    }
    for (const endpoint of ["ftp://127.0.0.1/", "file:///etc/passwd", "http://user:pass@127.0.0.1/", "http://"]) {
      expectRefusal(await register({ endpoint }), 400, "invalid_request", { param: "endpoint" });
    }
  });
});

describe("who may register", () => {
  it("is a key with the scope `provider`, and no other", async () => {
    const { key } = await openCustomer(service, 0, { scopes: ["inference", "read", "manage"] });
    for (const [method, path] of [
      ["POST", "/v1/provider/models"],
      ["GET", "/v1/provider/models"],
      ["GET", "/v1/provider/models/model"],
      ["GET", "/v1/provider/models/model/prices"],
      ["PATCH", "/v1/provider/models/model"],
      ["DELETE", "/v1/provider/models/model"],
      ["POST", "/v1/provider/models/model/check"],
      ["POST", "/v1/provider/usage"],
      ["GET", "/v1/provider/usage"],
    ] as const) {
      const body = method === "POST" || method === "PATCH" ? {} : undefined;
      expectRefusal(await service.call(method, path, body, { key }), 403, "insufficient_scope");
    }
  });
});

describe("limits on answers", () => {
  it.each([
    ["response_bytes", 256 * 1024 * 1024],
    ["chunk_bytes", 1024 * 1024 + 1],
    ["whole_ms", 3_600_000],
    ["first_byte_ms", 30_001],
    ["silence_ms", 60_001],
    ["connect_ms", 3_001],
  ])("above the default are the operator's alone: %s", async (limit, value) => {
    const change = { name: "limited", endpoint: PUBLIC_ENDPOINT, limits: { [limit]: value } };
    const refused = await register(change, otherAccount.key);
    expectRefusal(refused, 400, "invalid_request", { param: `limits.${limit}` });
    const draft = registrationOf(provider, "model", change);
    const validated = await service.call("POST", "/v1/provider/models/validate", draft, { key: otherAccount.key });
    expect(validated.json.issues).toMatchObject([{ param: `limits.${limit}` }]);
  });
});

describe("a cloud's metadata service", () => {
  it.each([
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
  ])("is no endpoint and no webhook, even for the operator: %s", async (url) => {
    expectRefusal(await register({ endpoint: url }), 400, "invalid_request", { param: "endpoint" });
    expectRefusal(await service.call("POST", "/v1/webhooks", { url }), 400, "invalid_request", { param: "url" });
  });
});
