import { createHmac } from "node:crypto";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  startUpstream,
  type Upstream,
  type UpstreamAnswer,
  type UpstreamRequest,
} from "../support/scripted-upstream.ts";
import { type Answer, OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let hook: Upstream;
let hookId: string;
let secret: string;

beforeAll(async () => {
  [service, provider, hook] = await Promise.all([startService(), startProvider(), startUpstream()]);
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
});
afterAll(async () => {
  await service.stop();
  await Promise.all([provider.stop(), hook.close()]);
});

function expectRefusal({ status, json, text }: Answer, wanted: number, type: string): void {
  expect(status, text).toBe(wanted);
  expect(json.error.type).toBe(type);
}
const decide = (decision: unknown): UpstreamAnswer => ({ body: JSON.stringify(decision) });
const change = (body: unknown) => service.call("PATCH", `/v1/guardrail-hooks/${hookId}`, body);
const ask = (input: string, more: Record<string, unknown> = {}) =>
  service.call("POST", "/v1/generate", { input, model: "plain", ...more });
const balance = async () => (await service.call("GET", "/v1/balance")).text;

/** Answers by the side that the hook is asked about. */
const bySide = (input: unknown, output: unknown) => (request: UpstreamRequest) =>
  decide(request.json.type === "guardrail.input" ? input : output);

async function record(requestId: string | null) {
  return (await service.call("GET", `/v1/requests/${requestId}`)).json;
}

describe("guardrail hooks", () => {
  it("are made, tried and refused as they should be", async () => {
    const create = (body: unknown) => service.call("POST", "/v1/guardrail-hooks", body);
    expectRefusal(await create({ url: "ftp://example.com" }), 400, "invalid_request");
    expectRefusal(await create({ url: hook.url, timeout_ms: 1 }), 400, "invalid_request");
    expectRefusal(await create({ url: hook.url, sides: [] }), 400, "invalid_request");
    expectRefusal(await service.call("GET", "/v1/guardrail-hooks/none"), 404, "not_found");
    const made = await create({ url: `${hook.url}/judge`, timeout_ms: 20_000 });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({ sides: ["input", "output"], on_failure: "refuse", enabled: true });
    hookId = made.json.id;
    secret = made.json.secret;
    hook.answer(() => decide({ action: "refuse", reason: "not today" }));
    expect((await service.call("POST", `/v1/guardrail-hooks/${hookId}/test`)).json).toEqual({
      action: "refuse",
      reason: "not today",
      annotations: {},
    });
    expect((await service.call("GET", "/v1/guardrail-hooks")).text).not.toContain("whsec_");
  });

  describe("with one that is asked about both sides", () => {
    beforeEach(() => {
      hook.requests.length = 0;
      provider.calls.length = 0;
    });

    it("get signed questions with the texts, and let a request pass with their annotations", async () => {
      hook.answer(bySide({ action: "allow", annotations: { topic: "rivers" } }, { action: "allow" }));
      const answer = await ask("Which river?", { tags: { team: "a" } });
      expect(answer.status).toBe(200);
      const [input, output] = hook.requests as [UpstreamRequest, UpstreamRequest];
      expect(input.json).toMatchObject({
        type: "guardrail.input",
        data: {
          request_id: answer.headers.get("x-request-id"),
          model: "plain",
          tags: { team: "a" },
          texts: [{ role: "user", type: "text", text: "Which river?" }],
        },
      });
      expect(output.json.data).toMatchObject({
        model: "operator/plain",
        texts: [{ role: "assistant", type: "text", text: answer.json.output }],
      });
      const { headers, body } = input;
      const signed = [headers["webhook-id"], headers["webhook-timestamp"], body.toString()].join(".");
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
      expect(await record(answer.headers.get("x-request-id"))).toMatchObject({ annotations: { topic: "rivers" } });
    });

    it("refuse a request before a provider sees it, at no cost", async () => {
      hook.answer(bySide({ action: "refuse", reason: "no rivers" }, { action: "allow" }));
      const before = await balance();
      const answer = await ask("Which river?");
      expectRefusal(answer, 403, "unsafe_input");
      expect(answer.text).toContain("no rivers");
      expect(provider.calls).toEqual([]);
      // A refusal is recorded after its answer.
      await expect.poll(() => record(answer.headers.get("x-request-id"))).toMatchObject({ cost: 0 });
      expect(await balance()).toBe(before);
    });

    it("leave the idempotency key of a refused request free", async () => {
      const headers = { "idempotency-key": "asked-again" };
      const again = () => service.call("POST", "/v1/generate", { input: "Which river?", model: "plain" }, { headers });
      hook.answer(bySide({ action: "refuse" }, { action: "allow" }));
      expectRefusal(await again(), 403, "unsafe_input");
      hook.answer(() => decide({ action: "allow" }));
      const answer = await again();
      expect(answer.status).toBe(200);
      expect(answer.headers.get("server-timing")).toContain("guardrail;dur=");
      const asked = hook.requests.length;
      expect((await again()).headers.get("idempotent-replayed")).toBe("true");
      expect(hook.requests).toHaveLength(asked);
    });

    it("redact a request before a provider sees it", async () => {
      hook.answer(bySide({ action: "redact", texts: ["Which [thing]?"] }, { action: "allow" }));
      expect((await ask("Which river?")).status).toBe(200);
      expect(JSON.stringify(provider.calls.at(-1)?.body)).toContain("Which [thing]?");
      expect(JSON.stringify(provider.calls.at(-1)?.body)).not.toContain("river");
    });

    it.each([false, true])("redact an answer before the client sees it, streamed: %s", async (stream) => {
      hook.answer(bySide({ action: "allow" }, { action: "redact", texts: ["[nothing to see]"] }));
      const answer = await ask("Hello", { stream });
      expect(answer.status).toBe(200);
      expect(answer.text).toContain("[nothing to see]");
      const [output] = hook.requests.filter(({ json }) => json.type === "guardrail.output") as [UpstreamRequest];
      const said = output.json.data.texts[0].text;
      expect(said).not.toBe("");
      expect(answer.text).not.toContain(said);
    });

    it.each([false, true])(
      "refuse an answer, which is charged as the provider did the work, streamed: %s",
      async (stream) => {
        hook.answer(bySide({ action: "allow" }, { action: "refuse" }));
        const answer = await ask("Hello", { stream });
        expectRefusal(answer, 403, "unsafe_output");
        const { cost, status } = await record(answer.headers.get("x-request-id"));
        expect(status).toBe(403);
        expect(cost).toBeGreaterThan(0);
        const [output] = hook.requests.filter(({ json }) => json.type === "guardrail.output") as [UpstreamRequest];
        expect(answer.text).not.toContain(output.json.data.texts[0].text);
      },
    );

    it.each([
      ["an error", { status: 500, body: "" }],
      ["something else", { body: '{"action":"maybe"}' }],
      ["no JSON", { body: "hello" }],
      ["another number of texts", { body: '{"action":"redact","texts":[]}' }],
    ])("that answer with %s refuse or let pass, as they are set", async (_what, answer: UpstreamAnswer) => {
      hook.answer(() => answer);
      expectRefusal(await ask("Hello"), 403, "unsafe_input");
      expect((await change({ on_failure: "allow" })).json.on_failure).toBe("allow");
      const passed = await ask("Hello");
      expect(passed.status).toBe(200);
      expect(await record(passed.headers.get("x-request-id"))).toMatchObject({
        annotations: { "guardrail.failure": expect.any(String) },
      });
      await change({ on_failure: "refuse" });
    });

    it("can't be asked in a realtime session, which is refused therefore", async () => {
      const headers = {
        authorization: `Bearer ${OPERATOR_KEY}`,
        connection: "upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      };
      const request = get(`${service.url}/v1/realtime?model=any`, { headers });
      const [response] = (await once(request, "response")) as [IncomingMessage];
      expect(response.statusCode).toBe(400);
      let body = "";
      for await (const chunk of response) body += String(chunk);
      expect(body).toContain("guardrail hooks");
    });

    it("are not asked when they are switched off or deleted", async () => {
      await change({ enabled: false });
      expect((await ask("Hello")).status).toBe(200);
      expect(hook.requests).toEqual([]);
      await change({ enabled: true, sides: ["output"] });
      hook.answer(() => decide({ action: "allow" }));
      expect((await ask("Hello")).status).toBe(200);
      expect(hook.requests.map(({ json }) => json.type)).toEqual(["guardrail.output"]);
      expect((await service.call("DELETE", `/v1/guardrail-hooks/${hookId}`)).status).toBe(204);
      expect((await ask("Hello")).status).toBe(200);
      expect(hook.requests).toHaveLength(1);
    });
  });
});
