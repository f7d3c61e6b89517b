import { generateKeyPairSync } from "node:crypto";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { auditLedger } from "../../src/store/ledger/audit.ts";
import { type Customer, openCustomer } from "../support/customer.ts";
import { chatAnswer, startDiscovering } from "../support/openai-upstream.ts";
import {
  events,
  registerUpstream,
  startUpstream,
  type Upstream,
  type UpstreamRequest,
} from "../support/scripted-upstream.ts";
import { OPERATOR_KEY, type StartedService } from "../support/started-service.ts";

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2_048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});

const GEMINI = {
  candidates: [{ index: 0, content: { role: "model", parts: [{ text: "From Gemini." }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
};
const CLAUDE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude",
  content: [{ type: "text", text: "From Claude." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 1_000, output_tokens: 1_000 },
};
const CLAUDE_EVENTS = [
  { type: "message_start", message: { ...CLAUDE, content: [], stop_reason: null } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "From Claude." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];
/** The smallest picture. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** Of samples, as Gemini sends them. */
const TWO_SECONDS = Buffer.alloc(96_000).toString("base64");

let clouds: Upstream;
let service: StartedService;
let tokens = 0;

function answer({ path, json }: UpstreamRequest) {
  if (path.endsWith("/token")) {
    tokens++;
    const access_token = path.includes("tenant-1") ? `entra-${tokens}` : `google-${tokens}`;
    return { body: JSON.stringify({ access_token, expires_in: 3_600 }) };
  }
  if (path.includes("streamRawPredict"))
    return { headers: { "content-type": "text/event-stream" }, body: events(...CLAUDE_EVENTS) };
  if (path.includes("rawPredict")) return { body: JSON.stringify(CLAUDE) };
  if (path.includes("-image") && path.includes("generateContent")) {
    const parts = [{ inlineData: { mimeType: "image/png", data: PNG } }];
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 1_290, totalTokenCount: 1_300 };
    return {
      body: JSON.stringify({ ...GEMINI, candidates: [{ content: { parts }, finishReason: "STOP" }], usageMetadata }),
    };
  }
  if (path.includes("generateContent")) return { body: JSON.stringify(GEMINI) };
  if (path === "/v1/images/generations")
    return {
      body: JSON.stringify({
        created: 1,
        data: [{ b64_json: PNG }],
        usage: {
          input_tokens: 10,
          output_tokens: 1_056,
          total_tokens: 1_066,
          input_tokens_details: { text_tokens: 10 },
        },
      }),
    };
  if (path === "/v1/audio/speech")
    return { headers: { "content-type": "audio/wav" }, body: wavOf(json?.input === "long" ? 60 : 2) };
  if (path.includes("/chat/completions")) return chatAnswer("From Azure.");
  return { status: 404, body: "{}" };
}

/** Silence. */
function wavOf(seconds: number): Buffer {
  const bytes = 8_000 * seconds;
  const head = Buffer.alloc(44);
  head.write("RIFF", 0);
  head.writeUInt32LE(36 + bytes, 4);
  head.write("WAVEfmt ", 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(8_000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36);
  head.writeUInt32LE(bytes, 40);
  return Buffer.concat([head, Buffer.alloc(bytes, 128)]);
}

beforeAll(async () => {
  clouds = await startUpstream(answer);
  const serviceAccount = {
    type: "service_account",
    project_id: "of-the-file",
    private_key: privateKey,
    client_email: "gateway@p1.iam.gserviceaccount.com",
    token_uri: `${clouds.url}/token`,
  };
  service = await startDiscovering({
    VERTEX_CREDENTIALS: JSON.stringify(serviceAccount),
    GOOGLE_VERTEX_PROJECT: "p1",
    GOOGLE_VERTEX_LOCATION: "europe-west4",
    VERTEX_BASE_URL: `${clouds.url}/v1/projects/-/locations/-/publishers/google`,
    AZURE_TENANT_ID: "tenant-1",
    AZURE_CLIENT_ID: "client-1",
    AZURE_CLIENT_SECRET: "secret-1",
    AZURE_AUTHORITY_HOST: clouds.url,
    AZURE_OPENAI_ENDPOINT: `${clouds.url}/openai/v1`,
    OPENAI_API_KEY: "sk-ours",
    OPENAI_BASE_URL: `${clouds.url}/v1`,
    GEMINI_API_KEY: "g-ours",
    GOOGLE_GEMINI_BASE_URL: clouds.url,
  });
});
afterAll(async () => {
  await service.stop();
  await clouds.close();
});
beforeEach(() => {
  clouds.answer(answer);
  clouds.requests.length = 0;
});

const ask = (model: string, more: object = {}) =>
  service.call("POST", "/v1/generate", { model, input: "Hello", parameters: { max_tokens: 50 }, ...more });
const calls = () => clouds.requests.filter(({ method, path }) => method === "POST" && !path.endsWith("/token"));
const costOf = async (response: { headers: Headers }) =>
  (await service.call("GET", `/v1/requests/${response.headers.get("x-request-id")}`)).json.cost;

describe("Vertex AI by a service account", () => {
  it("serves Gemini's models with an access token, at the project and the location", async () => {
    const answered = await ask("vertex/gemini-2.5-flash");
    expect(answered.status, answered.text).toBe(200);
    expect(answered.json).toMatchObject({ output: "From Gemini.", model: "vertex/gemini-2.5-flash" });
    expect(calls()[0]).toMatchObject({
      path: "/v1/projects/p1/locations/europe-west4/publishers/google/models/gemini-2.5-flash:generateContent",
      headers: { authorization: expect.stringMatching(/^Bearer google-\d+$/) },
    });
    expect(calls()[0]?.headers["x-goog-api-key"]).toBeUndefined();
  });

  it("serves Claude in its own format, whole and streamed, at the region's price", async () => {
    const answered = await ask("vertex/claude-sonnet-4-5", { parameters: { max_tokens: 2_000 } });
    expect(answered.json).toMatchObject({ output: "From Claude." });
    const [call] = calls();
    expect(call?.path).toBe(
      "/v1/projects/p1/locations/europe-west4/publishers/anthropic/models/claude-sonnet-4-5%4020250929:rawPredict",
    );
    expect(call?.json).toMatchObject({ anthropic_version: "vertex-2023-10-16", max_tokens: 2_000 });
    expect(call?.json.model).toBeUndefined();
    // A tenth more than 3 and 15 dollars a million.
    expect(await costOf(answered)).toBeCloseTo(0.0198, 9);
    clouds.requests.length = 0;
    const streamed = await service.call("POST", "/v1/chat/completions", {
      model: "vertex/claude-opus-4-7",
      messages: [{ role: "user", content: "Hi" }],
      stream: true,
    });
    expect(streamed.text).toContain("From Claude.");
    expect(calls()[0]).toMatchObject({ path: expect.stringMatching(/claude-opus-4-7:streamRawPredict$/) });
  });

  it("requests one token for many calls, and another one when the first is refused", async () => {
    await ask("vertex/gemini-2.5-flash");
    const before = tokens;
    await Promise.all([ask("vertex/gemini-2.5-flash"), ask("vertex/gemini-2.5-flash")]);
    expect(tokens).toBe(before);
    let refused = 0;
    clouds.answer((request) => {
      const isOld = request.headers.authorization === `Bearer google-${before}`;
      if (!isOld || !request.path.includes("generateContent")) return answer(request);
      refused++;
      return { status: 401, body: '{"error":{"code":401,"message":"expired","status":"UNAUTHENTICATED"}}' };
    });
    expect((await ask("vertex/gemini-2.5-flash")).status).toBe(200);
    expect(refused === 1 ? tokens : before + 1).toBe(before + 1);
  });

  it("says why there is no token, and never shows the credential", async () => {
    clouds.answer((request) => {
      if (request.path === "/token") return { status: 400, body: '{"error":"invalid_grant"}' };
      return { status: 401, body: "{}" };
    });
    const refused = await ask("vertex/gemini-2.5-pro");
    expect(refused.status).toBe(502);
    const record = await service.call("GET", `/v1/requests/${refused.headers.get("x-request-id")}`);
    expect(record.text).toContain("invalid_grant");
    expect(record.text + refused.text).not.toContain("PRIVATE KEY");
  });
});

describe("Azure by an application of Entra", () => {
  it("serves its models with an access token instead of a key", async () => {
    const answered = await ask("azure/gpt-4o");
    expect(answered.json, answered.text).toMatchObject({ output: "From Azure." });
    expect(calls()[0]).toMatchObject({
      path: "/openai/v1/chat/completions",
      headers: { authorization: expect.stringMatching(/^Bearer entra-\d+$/) },
      json: { model: "gpt-4o" },
    });
  });
});

describe("models that make images and speech", () => {
  it("are found with a key, in the catalogue with their prices", async () => {
    const { json } = await service.call("GET", "/v1/models");
    expect(json).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: "gpt-image-1", type: "image" }),
        expect.objectContaining({ name: "gemini-2.5-flash-image", type: "image" }),
        expect.objectContaining({ name: "gpt-4o-mini-tts", type: "audio" }),
      ]),
    );
    const openai = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: OPERATOR_KEY });
    const ids = (await openai.models.list()).data.map(({ id }) => id);
    expect(ids).toContain("openai/gpt-image-1");
  });

  it("make an image, which is charged by its tokens", async () => {
    const openai = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: OPERATOR_KEY, maxRetries: 0 });
    const { data, response } = await openai.images
      .generate({ model: "openai/gpt-image-1", prompt: "A fox", size: "1024x1024" })
      .withResponse();
    expect(data.data?.[0]?.b64_json).toBe(PNG);
    // 10 tokens at 10 dollars a million, the price of images, and 1,056 at 40.
    expect(await costOf(response)).toBeCloseTo(0.04234, 9);
    const gemini = await ask("google/gemini-2.5-flash-image", { task: "image", parameters: {} });
    expect(gemini.status, gemini.text).toBe(200);
    // 10 tokens at 0.30, and 1,290 at 30 dollars a million.
    expect(await costOf(gemini)).toBeCloseTo(0.038703, 9);
  });

  it("speak, which is charged by the second", async () => {
    const openai = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: OPERATOR_KEY, maxRetries: 0 });
    const input = "A sentence that is long enough to be read aloud.";
    const speech = await openai.audio.speech.create({ model: "gpt-4o-mini-tts", voice: "alloy", input });
    expect((await speech.arrayBuffer()).byteLength).toBeGreaterThan(16_000);
    const cost = await costOf(speech);
    // Two seconds at 0.00025, and the words.
    expect(cost).toBeGreaterThan(0.0005);
    expect(cost).toBeLessThan(0.00052);
  });

  it("speak in Gemini's format, charged by the length of what they say", async () => {
    const speaker = await startUpstream(() => ({
      body: JSON.stringify({
        candidates: [
          {
            content: { parts: [{ inlineData: { mimeType: "audio/L16;rate=24000", data: TWO_SECONDS } }] },
            finishReason: "STOP",
          },
        ],
      }),
    }));
    await registerUpstream(
      service,
      { wire: "gemini", name: "gem-speech", endpoint: speaker.url },
      { type: "audio", pricing: { input_per_1k_tokens: 0, output_per_1k_tokens: 0, per_second: 0.00025 } },
    );
    const openai = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: OPERATOR_KEY, maxRetries: 0 });
    const input = "A sentence that is long enough to be read aloud.";
    const speech = await openai.audio.speech.create({ model: "gem-speech", voice: "alloy", input });
    expect(speech.headers.get("content-type")).toBe("audio/wav");
    expect(speech.headers.get("x-trunkline-dropped")).toBe("voice");
    expect(await costOf(speech)).toBeCloseTo(2 * 0.00025, 9);
    await speaker.close();
  });

  it("are charged in a ledger that adds up", async () => {
    const { findings } = await auditLedger(service.database);
    expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  });
});

describe("an account's own credential of a cloud", () => {
  let customer: Customer;
  beforeAll(async () => {
    customer = await openCustomer(service, 1);
  });
  const store = (provider: string, key: unknown) =>
    service.call(
      "POST",
      "/v1/provider-keys",
      { provider, key: typeof key === "string" ? key : JSON.stringify(key, null, 2) },
      { key: customer.key },
    );

  it("is stored where it can be used, and shown by the end of its name", async () => {
    const own = {
      type: "service_account",
      project_id: "theirs",
      private_key_id: "0123456789abcdef",
      private_key: privateKey,
      client_email: "x@theirs.iam.gserviceaccount.com",
    };
    const stored = await store("vertex", own);
    expect(stored.status, stored.text).toBe(201);
    expect(stored.json).toMatchObject({ provider: "vertex", hint: "cdef" });
    expect(stored.text).not.toContain("PRIVATE");
    const azure = await store("azure", { endpoint: "https://theirs.openai.azure.com", api_key: "an-azure-key-1234" });
    expect(azure.json).toMatchObject({ hint: "1234" });
  });

  it.each([
    ["vertex", "AIza-a-key", "service account"],
    ["vertex", { type: "service_account", project_id: "p1", client_email: "a", private_key: "no" }, "PEM"],
    [
      "vertex",
      {
        type: "service_account",
        project_id: "p1",
        client_email: "a",
        private_key: privateKey,
        token_uri: "http://127.0.0.1:1/",
      },
      "identity service",
    ],
    ["azure", { endpoint: "http://10.0.0.1", api_key: "k" }, "endpoint"],
    ["openai", { endpoint: "https://a.openai.azure.com", api_key: "k" }, "azure"],
    ["openai", "{\r\nx-evil: 1", "JSON"],
  ])("for %s is refused: %j", async (provider, key, said) => {
    const refused = await store(provider, key);
    expect(refused.status).toBe(400);
    expect(refused.json.error).toMatchObject({ param: "key", message: expect.stringContaining(said) });
  });
});
