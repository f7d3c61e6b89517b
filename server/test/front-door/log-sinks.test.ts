import { createHash, createHmac } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openCustomer } from "../support/customer.ts";
import { type OtlpReceiver, startOtlpReceiver } from "../support/otlp-receiver.ts";
import { startUpstream, type Upstream, type UpstreamRequest } from "../support/scripted-upstream.ts";
import { type Answer, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let langfuse: OtlpReceiver;
let receiver: Upstream;
let bucket: Upstream;

beforeAll(async () => {
  [service, provider, langfuse, receiver, bucket] = await Promise.all([
    startService(),
    startProvider(),
    startOtlpReceiver(),
    startUpstream(() => ({ body: "{}" })),
    startUpstream((request) => ({ status: isSigned(request) ? 200 : 403, body: "" })),
  ]);
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
});
afterAll(async () => {
  await Promise.all([provider.stop(), langfuse.close(), receiver.close(), bucket.close()]);
});

const SECRET_ACCESS_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

/** Checks a request of S3 as its documentation says, from the bytes that arrived. */
function isSigned({ method, path, headers, body }: UpstreamRequest): boolean {
  const [, credential = "", names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      String(headers.authorization),
    ) ?? [];
  const [, date = "", region = "", serviceName = ""] = credential.split("/");
  const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
  if (headers["x-amz-content-sha256"] !== sha256(body)) return false;
  const canonical = [
    method,
    path,
    "",
    ...names.split(";").map((name) => `${name}:${String(headers[name]).trim()}`),
    "",
    names,
    sha256(body),
  ].join("\n");
  const scope = `${date}/${region}/${serviceName}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();
  const key = [date, region, serviceName, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${SECRET_ACCESS_KEY}`);
  return region === "eu-central-1" && serviceName === "s3" && hmac(key, text).toString("hex") === signature;
}

function expectRefusal({ status, json, text }: Answer, wanted: number, type: string): void {
  expect(status, text).toBe(wanted);
  expect(json.error.type).toBe(type);
}
const create = (body: unknown) => service.call("POST", "/v1/log-sinks", body);
const PROMPT = "Which river flows through Prague?";

describe("log sinks", () => {
  it("refuse what can't be sent to, and fields of another kind", async () => {
    const bucketFields = { region: "eu-central-1", access_key_id: "AKIA", secret_access_key: "s" };
    expectRefusal(await create({ kind: "mail", url: "https://example.com" }), 400, "invalid_request");
    expectRefusal(await create({ kind: "http", url: "ftp://example.com" }), 400, "invalid_request");
    expectRefusal(await create({ kind: "s3", url: "https://example.com" }), 400, "invalid_request");
    expectRefusal(await create({ kind: "otlp", url: "https://example.com", ...bucketFields }), 400, "invalid_request");
    expectRefusal(await create({ kind: "http", url: "https://example.com", share: 0 }), 400, "invalid_request");
    for (const headers of [{ a: "b\r\nc: d" }, { a: "\u0100" }, { Host: "example.com" }, { "Content-Length": "5" }]) {
      const refused = await create({ kind: "otlp", url: receiver.url, headers });
      expectRefusal(refused, 400, "invalid_request");
      expect(refused.json.error.param).toBe("headers");
    }
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`x-${at}`, "1"]));
    expectRefusal(await create({ kind: "otlp", url: receiver.url, headers: many }), 400, "invalid_request");
    expectRefusal(await service.call("GET", "/v1/log-sinks/nothing"), 404, "not_found");
    const customer = await openCustomer(service, 1);
    const asCustomer = { key: customer.key };
    expectRefusal(
      await service.call("POST", "/v1/log-sinks", { kind: "http", url: receiver.url }, asCustomer),
      400,
      "invalid_request",
    );
  });

  it("get the account's requests, each in the form of its kind, with content only where it is asked for", async () => {
    const otlp = await create({
      kind: "otlp",
      url: `${langfuse.url}/v1/traces`,
      headers: { Authorization: "Basic cGs6c2s=" },
      include_content: true,
    });
    expect(otlp.status).toBe(201);
    expect(otlp.text).not.toContain("cGs6c2s=");
    const http = await create({ kind: "http", url: `${receiver.url}/logs` });
    expect(http.json.secret).toMatch(/^whsec_/);
    const s3 = await create({
      kind: "s3",
      url: `${bucket.url}/my-bucket/logs`,
      region: "eu-central-1",
      access_key_id: "AKIAIOSFODNN7EXAMPLE",
      secret_access_key: SECRET_ACCESS_KEY,
      include_content: true,
    });
    expect(s3.text).not.toContain(SECRET_ACCESS_KEY);
    expectRefusal(await create({ kind: "http", url: receiver.url }), 409, "conflict");

    for (const { json } of [otlp, http, s3])
      expect((await service.call("POST", `/v1/log-sinks/${json.id}/test`)).json).toEqual({
        delivered: true,
        error: null,
      });
    const answered = await service.call("POST", "/v1/generate", { input: PROMPT, model: "plain", tags: { team: "a" } });
    expect(answered.status).toBe(200);
    const refused = await service.call("POST", "/v1/generate", { input: "Hi", model: "no-such-model" });
    expect(refused.status).toBe(404);
    const moved = await service.call("PATCH", `/v1/log-sinks/${otlp.json.id}`, { url: "http://127.0.0.2:9/v1/traces" });
    expectRefusal(moved, 400, "invalid_request");
    // What waits is sent when the service stops.
    await service.stop();

    expect(langfuse.refused).toEqual([]);
    expect(langfuse.requests.at(-1)?.headers.authorization).toBe("Basic cGs6c2s=");
    const span = langfuse.spans().find(({ attributes }) => JSON.stringify(attributes).includes("Prague"));
    expect(JSON.stringify(span.attributes)).toContain("gen_ai.output.messages");
    expect(JSON.stringify(span.attributes)).toContain("gen_ai.usage.output_tokens");

    // On a busy machine the two are sent one after the other.
    const lines = receiver.requests.flatMap(({ body }) => body.toString().split("\n")).slice(-2);
    const [first, second] = lines.map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      request_id: answered.headers.get("x-request-id"),
      path: "/v1/generate",
      model: "operator/plain",
      status: 200,
      tags: { team: "a" },
    });
    expect(second).toMatchObject({ status: 404, error_type: "model_not_found", cost: 0 });
    expect(lines.join()).not.toContain("Prague");
    const { headers, body } = receiver.requests.at(-1) as UpstreamRequest;
    const signed = [headers["webhook-id"], headers["webhook-timestamp"], body.toString()].join(".");
    const secret = Buffer.from(http.json.secret.slice("whsec_".length), "base64");
    expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", secret).update(signed).digest("base64")}`);

    const object = bucket.requests.at(-1) as UpstreamRequest;
    expect(object.method).toBe("PUT");
    expect(object.path).toMatch(/^\/my-bucket\/logs\/\d{4}\/\d{2}\/\d{2}\/\d{2}\/[0-9a-f-]{36}\.jsonl\.gz$/);
    expect(isSigned(object)).toBe(true);
    const records = bucket.requests
      .flatMap(({ body: zipped }) => gunzipSync(zipped).toString().trim().split("\n"))
      .slice(-2)
      .map((line) => JSON.parse(line));
    expect(records[0]).toMatchObject({ input: [{ role: "user", parts: [{ type: "text", content: PROMPT }] }] });
    expect(records[0].output).toEqual(expect.any(String));
  });
});
