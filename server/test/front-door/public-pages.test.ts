import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  await service.call("POST", "/v1/provider/models", registrationOf(provider, "plain"));
  await service.call("POST", "/v1/ai/request", { task: "chat", input: "Hello", model: "plain" });
});

afterAll(async () => {
  await service.stop();
  await provider.stop();
});

const read = (path: string) => service.call("GET", path, undefined, { key: null });

describe("the pages outside /v1", () => {
  it.each([
    ["/healthz", /^application\/json/],
    ["/readyz", /^application\/json/],
    ["/metrics", /^text\/plain/],
    ["/openapi.json", /^application\/json/],
    ["/docs/", /^text\/html/],
    ["/guide/", /^text\/html/],
  ])("need no key: %s", async (path, type) => {
    const { status, headers, text } = await read(path);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(type);
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(text).not.toContain(OPERATOR_KEY);
    expect(text).not.toContain("provider-credential-of-the-tests");
  });

  it("are found at /docs without the slash, too", async () => {
    expect((await read("/docs")).status).toBe(200);
  });

  it("do not ask anyone outside for the reference", async () => {
    const { text, headers } = await read("/docs/");
    expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(headers.get("content-security-policy")).toContain("default-src 'self'");
    expect(headers.get("content-security-policy")).not.toMatch(/script-src[^;]*unsafe/);
    const script = await read(/src="([^"]+)"/.exec(text)?.[1] ?? "");
    expect(script.headers.get("content-type")).toContain("text/javascript");
    expect(script.text.length).toBeGreaterThan(100_000);
  });

  it("say that the service is alive and ready", async () => {
    expect((await read("/healthz")).json.status).toBe("alive");
    expect((await read("/readyz")).json.status).toBe("ready");
  });

  it("count requests, attempts and verdicts for Prometheus", async () => {
    const { text } = await read("/metrics");
    expect(text).toMatch(/^trunkline_requests_total\{path="\/v1\/ai\/request",status="200"\} [1-9]/m);
    expect(text).toMatch(/^trunkline_provider_attempts_total\{model="operator\/plain",outcome="answered"\} [1-9]/m);
    expect(text).toMatch(/^trunkline_gateway_seconds_count\{path="\/v1\/ai\/request"\} [1-9]/m);
    expect(text).toMatch(/^trunkline_safety_verdicts_total\{side="input",action="allow",dry_run="false"\} [1-9]/m);
    expect(text).toMatch(/^trunkline_requests_in_flight \d/m);
  });

  it("never let a client's own words become a label", async () => {
    await service.call("GET", "/v1/models/some-very-odd-name");
    await service.call("GET", "/v1/keys/another-odd-name");
    await service.call("GET", "/v1/odd/path/of/a/scanner");
    expect((await read("/metrics")).text).not.toMatch(/odd/);
  });

  it("know no other method", async () => {
    for (const path of ["/healthz", "/metrics", "/openapi.json"]) {
      const answer = await service.call("POST", path, {}, { key: null });
      expectRefusal(answer, 405, "method_not_allowed");
      expect(answer.headers.get("allow")).toContain("GET");
    }
  });
});
