import { createHash, createHmac } from "node:crypto";
import type { Model } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { awsEvent } from "@trunkline/testing/aws-events.ts";
import { collect } from "@trunkline/testing/collect.ts";
import { someCall } from "@trunkline/testing/every-cut.ts";
import { makeInference, makeModel } from "@trunkline/testing/throwaway-call.ts";
import { openForTest } from "@trunkline/testing/throwaway-dialer.ts";
import { describe, expect, it } from "vitest";
import { startUpstream, type UpstreamAnswer } from "../../../../../server/test/support/scripted-upstream.ts";
import { httpAdapter } from "../../http/http-adapter.ts";
import { bedrockFormat } from "./format.ts";
import { toBedrockRequest } from "./request.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const clock = { now: () => NOW, monotonicMs: () => 0 };
const ID = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const ENDPOINT = "https://bedrock-runtime.eu-west-1.amazonaws.com";
const STREAM = [
  awsEvent("messageStart", { role: "assistant" }),
  awsEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi." } }),
  awsEvent("contentBlockStop", { contentBlockIndex: 0 }),
  awsEvent("messageStop", { stopReason: "end_turn" }),
  awsEvent("metadata", { usage: { inputTokens: 3, outputTokens: 2 } }),
];

function callOf(credential: string | undefined, change: Partial<Model> = {}, streaming = true) {
  const secret = credential === undefined ? undefined : new Secret(credential);
  const model = makeModel({
    endpoint: ENDPOINT,
    authType: "bearer",
    credential: secret,
    upstreamModel: ID,
    ...change,
  });
  return { call: someCall({ model, inference: makeInference({ streaming }) }), secret };
}

async function request(credential: string | undefined, change: Partial<Model> = {}, streaming = true) {
  const { call, secret } = callOf(credential, change, streaming);
  return toBedrockRequest(call, secret, clock);
}

async function ask(answer: UpstreamAnswer, streaming = true) {
  const upstream = await startUpstream(() => answer);
  try {
    const { call } = callOf("AKID:geheim::eu-west-1", { endpoint: upstream.url }, streaming);
    const answered = collect(httpAdapter(openForTest(), bedrockFormat(clock)).call(call));
    return { parts: await answered.catch((failure: unknown) => failure), request: upstream.requests[0] };
  } finally {
    await upstream.close();
  }
}

describe("the URL of the Converse API", () => {
  it.each([
    [true, "converse-stream"],
    [false, "converse"],
  ])("is the model's, streaming or not (%s)", async (streaming, operation) => {
    const { url } = await request("key", {}, streaming);
    expect(url).toBe(`${ENDPOINT}/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/${operation}`);
  });

  it("encodes the name of a profile, and keeps the path of a proxy", async () => {
    const upstreamModel = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.x";
    const { url } = await request("key", { upstreamModel, endpoint: "https://proxy.test/aws/" }, false);
    expect(url).toBe(
      "https://proxy.test/aws/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Ainference-profile%2Feu.x/converse",
    );
  });
});

describe("a Bedrock credential", () => {
  it("of one word is an API key", async () => {
    const { headers } = await request("bedrock-api-key-YmVkcm9jaw==");
    expect(headers).toMatchObject({ authorization: "Bearer bedrock-api-key-YmVkcm9jaw==" });
    expect(headers).not.toHaveProperty("x-amz-date");
  });

  it("is not needed where the model is configured so", async () => {
    expect((await request("AKID:geheim", { authType: "none" })).headers).not.toHaveProperty("authorization");
    expect((await request(undefined)).headers).not.toHaveProperty("authorization");
  });

  it("of two words signs the request, for the region of the URL", async () => {
    const { headers } = await request("AKID:geheim");
    expect(headers).toMatchObject({
      "x-amz-date": "20260301T120000Z",
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKID\/20260301\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$/,
      ),
    });
    expect(headers).not.toHaveProperty("host");
    expect(headers).not.toHaveProperty("x-amz-security-token");
  });

  it("signs as the specification says", async () => {
    const { url, headers, body } = await request("AKID:geheim");
    const hash = (text: string) => createHash("sha256").update(text).digest("hex");
    const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
    const path = new URL(url).pathname.replaceAll("%", "%25");
    const signed = "content-type;host;x-amz-content-sha256;x-amz-date";
    const canonical = [
      "POST",
      path,
      "",
      "content-type:application/json",
      "host:bedrock-runtime.eu-west-1.amazonaws.com",
      `x-amz-content-sha256:${hash(String(body))}`,
      "x-amz-date:20260301T120000Z",
      "",
      signed,
      hash(String(body)),
    ].join("\n");
    const scope = "20260301/eu-west-1/bedrock/aws4_request";
    const toSign = ["AWS4-HMAC-SHA256", "20260301T120000Z", scope, hash(canonical)].join("\n");
    const key = scope.split("/").reduce<string | Buffer>((secret, word) => hmac(secret, word), "AWS4geheim");
    expect(headers.authorization).toContain(`Signature=${hmac(key, toSign).toString("hex")}`);
  });

  it("of three words includes a session token", async () => {
    const { headers } = await request("AKID:geheim:token");
    expect(headers).toMatchObject({ "x-amz-security-token": "token" });
    expect(headers.authorization).toContain("x-amz-security-token");
  });

  it.each([
    ["https://bedrock-runtime-fips.us-gov-west-1.amazonaws.com", "AKID:geheim", "us-gov-west-1"],
    ["https://bedrock-runtime.cn-north-1.amazonaws.com.cn", "AKID:geheim", "cn-north-1"],
    ["https://vpce-1-a.bedrock-runtime.us-east-1.vpce.amazonaws.com", "AKID:geheim", "us-east-1"],
    ["https://proxy.test", "AKID:geheim::ap-south-1", "ap-south-1"],
    ["https://proxy.test", "AKID:geheim:token:ap-south-1", "ap-south-1"],
  ])("at %s is for the region that it or the URL names", async (endpoint, credential, region) => {
    const { headers } = await request(credential, { endpoint });
    expect(headers.authorization).toContain(`/${region}/bedrock/aws4_request`);
  });

  it.each([
    ["https://proxy.test", "AKID:geheim"],
    [ENDPOINT, ":geheim"],
    [ENDPOINT, "AKID:"],
  ])("at %s that can't sign is refused, and not repeated: %s", async (endpoint, credential) => {
    const failure = await request(credential, { endpoint }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: "ProviderFailure", kind: "refused" });
    expect(String(failure)).not.toContain("geheim");
  });
});

describe("the Converse API", () => {
  it("answers a signed request with a stream", async () => {
    const { parts, request: seen } = await ask({
      headers: { "content-type": "application/vnd.amazon.eventstream" },
      body: STREAM,
    });
    expect(parts).toEqual([
      { type: "text", text: "Hi." },
      { type: "usage", inputTokens: 3, outputTokens: 2 },
      { type: "finish", reason: "stop" },
    ]);
    expect(seen?.path).toBe("/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream");
    expect(seen?.headers).toMatchObject({
      authorization: expect.stringContaining("Credential=AKID/20260301/eu-west-1/bedrock"),
      accept: "application/vnd.amazon.eventstream",
      "x-request-id": "r1",
    });
    // What arrived is what was signed.
    const endpoint = `http://${seen?.headers.host?.toString()}`;
    const again = await request("AKID:geheim::eu-west-1", { endpoint });
    expect(seen?.headers).toMatchObject({
      authorization: again.headers.authorization,
      "content-type": "application/json",
    });
  });

  it.each([
    [400, "rejected", "rejected the request: Because."],
    [403, "refused", "refused our credential"],
    [404, "rejected", "rejected the request: Because."],
    [408, "timeout", "answered with status 408"],
    [424, "broken", "answered with status 424: Because."],
    [429, "rate-limited", "gets too many requests from us"],
    [500, "broken", "answered with status 500: Because."],
    [503, "broken", "answered with status 503: Because."],
  ])("fails with status %i and its own message", async (status, kind, reason) => {
    const { parts } = await ask({ status, body: '{"message":"Because."}' });
    expect(parts).toMatchObject({ name: "ProviderFailure", kind, reason, said: "Because." });
  });

  it.each([
    ["ThrottlingException", "rate-limited"],
    ["com.amazon.coral.service#ServiceQuotaExceededException", "rate-limited"],
    ["ModelTimeoutException:http://internal.amazon.com/coral/", "timeout"],
    ["UnrecognizedClientException", "refused"],
    ["SomethingElse", "rejected"],
  ])("is judged by its exception %s", async (type, kind) => {
    const { parts } = await ask({ status: 400, body: JSON.stringify({ __type: type, message: "Because." }) });
    expect(parts).toMatchObject({ kind });
  });

  it("never shows signed data in a message", async () => {
    const Message = "The signature does not match.\n\nThe Canonical String should have been\n'POST\ntoken'";
    const { parts } = await ask({ status: 403, body: JSON.stringify({ Message }) });
    expect(parts).toMatchObject({ kind: "refused", said: "The signature does not match." });
  });
});
