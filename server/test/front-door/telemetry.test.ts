import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../src/app/config/config.ts";
import { chatAnswer } from "../support/openai-upstream.ts";
import { type OtlpReceiver, startOtlpReceiver } from "../support/otlp-receiver.ts";
import {
  events,
  registerUpstream,
  startUpstream,
  type Upstream,
  type UpstreamRequest,
} from "../support/scripted-upstream.ts";
import { type Answer, type StartedService, startService } from "../support/started-service.ts";

const PARENT = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const PROMPT = "Which river flows through Prague?";
const ANSWER = "The Vltava flows through Prague.";

let receiver: OtlpReceiver;
let upstream: Upstream;
let service: StartedService;
let logged = "";
const answers: Record<string, Answer> = {};

const ask = (model: string, headers: Record<string, string> = {}, more = {}) =>
  service.call(
    "POST",
    "/v1/chat/completions",
    { model, messages: [{ role: "user", content: PROMPT }], ...more },
    { headers },
  );

// What is left is sent when the service stops, so that everything is known once it has.
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  upstream = await startUpstream(({ path, json }) => {
    if (path.startsWith("/broken")) return { status: 500, body: '{"error":{"message":"no"}}' };
    if (json.stream !== true) return chatAnswer(ANSWER);
    const piece = (delta: unknown, finish: string | null = null) => ({
      id: "1",
      object: "chat.completion.chunk",
      created: 1,
      model: "any",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const usage = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } };
    return {
      headers: { "content-type": "text/event-stream" },
      body: events(piece({ content: "The " }), piece({ content: "Vltava." }), piece({}, "stop"), usage, "[DONE]"),
    };
  });
  const { telemetry } = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=one%20two",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_SERVICE_NAME: "gateway",
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
    TRUNKLINE_ACCESS_LOG: "all",
  });
  service = await startService((config) => ({ ...config, telemetry }));
  await registerUpstream(service, { wire: "openai", name: "good", endpoint: `${upstream.url}/good` });
  await registerUpstream(
    service,
    { wire: "openai", name: "broken", endpoint: `${upstream.url}/broken` },
    { backups: ["good"] },
  );
  const traced = { traceparent: `00-${PARENT.traceId}-${PARENT.spanId}-01`, tracestate: "vendor=1" };
  answers.traced = await ask("good", traced);
  answers.own = await ask("good");
  answers.streamed = await ask("good", {}, { stream: true });
  answers.failedOver = await ask("broken");
  answers.unsampled = await ask("good", { traceparent: `00-${"a".repeat(32)}-${PARENT.spanId}-00` });
  answers.refused = await service.call("POST", "/v1/chat/completions", { model: "good" });
  answers.unknownKey = await service.call("GET", "/v1/models", undefined, { key: "wrong" });
  await service.call("PATCH", "/v1/settings", { store_content: true });
  answers.withContent = await ask("good");
  service.services.log.warn({ requestId: answers.own?.headers.get("x-request-id") }, "Something to look at.");
  await service.stop();
  logged = service.logged();
});
afterAll(async () => {
  await upstream.close();
  await receiver.close();
});

const idOf = (name: string) => answers[name]?.headers.get("x-request-id") ?? "";
const spansOf = (traceId: string) => receiver.spans().filter((span) => span.traceId === traceId);
const ownSpans = (name: string) => spansOf(idOf(name).replaceAll("-", ""));
// biome-ignore lint/suspicious/noExplicitAny: attributes are of every type.
const attributesOf = ({ attributes = [] }: any): Record<string, unknown> =>
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  Object.fromEntries(attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]));

describe("traces", () => {
  it("are in the form of the official messages, with the resource and the headers that are set", () => {
    expect(receiver.refused).toEqual([]);
    const [request] = receiver.requests.filter(({ path }) => path === "/v1/traces");
    expect(request?.headers["x-tenant"]).toBe("one two");
    expect(attributesOf(receiver.bodyOf(request as UpstreamRequest).resourceSpans[0].resource)).toMatchObject({
      "service.name": "gateway",
      "deployment.environment.name": "test",
      "service.instance.id": expect.any(String),
    });
  });

  it("continue the client's, and let the provider continue them", () => {
    expect(answers.traced?.status).toBe(200);
    const spans = spansOf(PARENT.traceId);
    const [root] = spans;
    expect(root).toMatchObject({ name: "POST /openai/v1/chat/completions", kind: 2, parentSpanId: PARENT.spanId });
    const call = spans.find(({ kind }) => kind === 3);
    const sent = upstream.requests[0]?.headers;
    expect(sent?.traceparent).toBe(`00-${PARENT.traceId}-${call.spanId}-01`);
    expect(sent?.tracestate).toBe("vendor=1");
  });

  it("have the request's id where the client has no trace, one span for each stage, and the call below its stage", () => {
    const [root, ...others] = ownSpans("own");
    expect(root.parentSpanId).toBeUndefined();
    const stages = others.filter(({ kind }) => kind === 1);
    expect(stages.map(({ name }) => name)).toEqual([
      "authenticate",
      "admit",
      "validate",
      "route",
      "screen",
      "hold",
      "provider",
      "client",
      "charge",
      "settle",
    ]);
    for (const { parentSpanId } of stages) expect(parentSpanId).toBe(root.spanId);
    const call = others.find(({ kind }) => kind === 3);
    expect(call.parentSpanId).toBe(stages.find(({ name }) => name === "provider")?.spanId);
    expect(new Set([root, ...others].map(({ spanId }) => spanId)).size).toBe(others.length + 1);
    for (const span of [root, ...others])
      expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
  });

  it("say what was asked, used and charged, by the names of the conventions", () => {
    const [root, ...others] = ownSpans("own");
    expect(attributesOf(root)).toMatchObject({
      "http.request.method": "POST",
      "http.route": "/openai/v1/chat/completions",
      "http.response.status_code": "200",
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "good",
      "gen_ai.response.model": "operator/good",
      "gen_ai.usage.input_tokens": "10",
      "gen_ai.usage.output_tokens": "5",
      "trunkline.cost.credits": 0.000015,
      "trunkline.safety.input.action": "allow",
    });
    const call = others.find(({ kind }) => kind === 3);
    expect(call.name).toBe("chat operator/good");
    expect(attributesOf(call)).toMatchObject({
      "gen_ai.provider.name": "operator",
      "gen_ai.request.model": "good",
      "server.address": "127.0.0.1",
      "gen_ai.usage.output_tokens": "5",
      "trunkline.attempt.outcome": "answered",
    });
  });

  it("show a failed call beside the one that answered", () => {
    expect(answers.failedOver?.status).toBe(200);
    const calls = ownSpans("failedOver").filter(({ kind }) => kind === 3);
    expect(calls.map((call) => attributesOf(call)["trunkline.attempt.outcome"])).toEqual(["failed", "answered"]);
    expect(calls[0].status).toMatchObject({ code: 2 });
  });

  it("cover streams, refusals and requests that are no inference", () => {
    expect(attributesOf(ownSpans("streamed")[0])).toMatchObject({
      "gen_ai.request.stream": true,
      "gen_ai.usage.output_tokens": "4",
    });
    expect(attributesOf(ownSpans("refused")[0])).toMatchObject({ "error.type": "invalid_request" });
    expect(attributesOf(ownSpans("unknownKey")[0])).toMatchObject({
      "http.route": "/v1/models",
      "http.request.method": "GET",
      "error.type": "invalid_api_key",
    });
  });

  it("are not made where the client does not sample, which the provider still learns", () => {
    expect(spansOf("a".repeat(32))).toEqual([]);
    const sent = upstream.requests.map(({ headers }) => String(headers.traceparent));
    expect(sent.filter((header) => header.startsWith(`00-${"a".repeat(32)}-`) && header.endsWith("-00"))).toHaveLength(
      1,
    );
  });

  it("hold texts only where the operator asks for them and the account stores its own", () => {
    const [root] = ownSpans("withContent");
    const attributes = attributesOf(root);
    expect(JSON.parse(String(attributes["gen_ai.input.messages"]))).toEqual([
      { role: "user", parts: [{ type: "text", content: PROMPT }] },
    ]);
    expect(attributes["gen_ai.output.messages"]).toContain(ANSWER);
    const others = receiver.spans().filter(({ traceId }) => traceId !== root.traceId);
    expect(JSON.stringify(others)).not.toContain("Vltava");
    expect(JSON.stringify(others)).not.toContain("Prague");
  });
});

describe("metrics", () => {
  it("are sent by OTLP under the names of /metrics", () => {
    const metrics = receiver.metrics();
    const requests = metrics.find(({ name }) => name === "trunkline_requests_total");
    expect(requests.sum).toMatchObject({ aggregationTemporality: 2, isMonotonic: true });
    const chats = requests.sum.dataPoints.find(
      (point: unknown) =>
        attributesOf(point).path === "/openai/v1/chat/completions" && attributesOf(point).status === "200",
    );
    expect(chats.asDouble).toBe(6);
    const seconds = metrics.find(({ name }) => name === "trunkline_request_seconds").histogram.dataPoints;
    for (const { count, bucketCounts, explicitBounds } of seconds) {
      expect(bucketCounts).toHaveLength(explicitBounds.length + 1);
      expect(bucketCounts.reduce((sum: number, each: string) => sum + Number(each), 0)).toBe(Number(count));
    }
    expect(metrics.find(({ name }) => name === "trunkline_held_credits").gauge.dataPoints).toHaveLength(1);
  });
});

describe("logs", () => {
  it("are sent by OTLP, under the trace of the request that they name", () => {
    const record = receiver.logs().find(({ body }) => body.stringValue === "Something to look at.");
    expect(record).toMatchObject({
      severityText: "WARN",
      severityNumber: 13,
      traceId: idOf("own").replaceAll("-", ""),
    });
  });

  it("have a line for each request in the access log, without its content", () => {
    const lines = logged
      .split("\n")
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line));
    expect(lines.find(({ requestId }) => requestId === idOf("own"))).toMatchObject({
      method: "POST",
      path: "/openai/v1/chat/completions",
      status: 200,
      model: "operator/good",
      input_tokens: 10,
      output_tokens: 5,
      cost: 0.000015,
      address: "127.0.0.1",
      trace_id: idOf("own").replaceAll("-", ""),
    });
    expect(lines.find(({ requestId }) => requestId === idOf("refused"))).toMatchObject({
      status: 400,
      error: "invalid_request",
    });
    expect(JSON.stringify(lines)).not.toContain("Prague");
  });
});
