import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import {
  answerPlainly,
  registrationOf,
  type ScriptedProvider,
  startProvider,
} from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createProvider } from "../../../examples/provider/provider.mjs";
import { type Customer, openCustomer } from "../support/customer.ts";
import { registerAsOtherAccount } from "../support/other-accounts-model.ts";
import { OPERATOR_KEY, type StartedService, startService } from "../support/started-service.ts";

const CREDENTIAL = "provider-credential-of-the-tests";

let service: StartedService;
let provider: ScriptedProvider;
let reference: Server;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  reference = createProvider({ key: CREDENTIAL }).listen(0, "127.0.0.1");
  await new Promise((resolve) => reference.once("listening", resolve));
});

beforeEach(() => {
  provider.script = answerPlainly;
  provider.calls.length = 0;
});

afterAll(async () => {
  const logged = service.logged();
  await service.stop();
  await provider.stop();
  reference.closeAllConnections();
  await new Promise((resolve) => reference.close(resolve));
  expect(logged).not.toContain(CREDENTIAL);
  expect(logged).not.toContain(OPERATOR_KEY);
});

const referenceEndpoint = () => `http://127.0.0.1:${(reference.address() as AddressInfo).port}/v1/generate`;
const of = (customer: Customer) => ({ key: customer.key });
const askFor = (model: string, key?: string) =>
  service.call(
    "POST",
    "/v1/ai/request",
    { task: "chat", input: "one two three", model },
    key === undefined ? {} : { key },
  );
const names = async (key?: string) => {
  const { json } = await service.call("GET", "/v1/models", undefined, key === undefined ? {} : { key });
  return (json as { name: string }[]).map(({ name }) => name);
};

const WHOLE = {
  description: "A model of many talents.",
  capabilities: ["Chat", "coding"],
  specialties: ["Law"],
  performance: { avg_latency_ms: 120, accuracy_score: 0.9 },
  cost_efficiency: "high",
  streaming: true,
  context_window: 8_000,
  max_output_tokens: 1_000,
  backups: ["other"],
};

describe("an operator's model", () => {
  it("is registered, read, changed and withdrawn, and its credential is never shown", async () => {
    const registration = registrationOf(provider, "whole", WHOLE);
    const made = await service.call("POST", "/v1/provider/models", registration);
    expect(made.status).toBe(201);
    const { credential: _, ...shown } = registration;
    expect(made.json).toMatchObject({
      ...shown,
      capabilities: ["chat", "coding"],
      specialties: ["law"],
      pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 },
      provider: "operator",
      state: "active",
      has_credential: true,
    });
    expect(made.json.credential).toBeUndefined();

    const read = await service.call("GET", "/v1/provider/models/whole");
    expect(read.json).toEqual(made.json);
    const list = await service.call("GET", "/v1/provider/models");
    expect(list.json).toEqual({ data: [made.json], next_cursor: null });
    const changed = await service.call("PATCH", "/v1/provider/models/whole", { description: "Another one." });
    expect(changed.status).toBe(200);
    expect(changed.json).toEqual({ ...made.json, description: "Another one." });
    const publicly = await service.call("GET", "/v1/models/whole");
    for (const { text } of [made, read, list, changed, publicly]) expect(text).not.toContain(CREDENTIAL);
    // Where a provider is reached is its own affair.
    expect(publicly.text).not.toContain("127.0.0.1");

    expect((await service.call("DELETE", "/v1/provider/models/whole")).status).toBe(204);
    for (const method of ["GET", "DELETE"]) {
      expectRefusal(await service.call(method, "/v1/provider/models/whole"), 404, "not_found");
    }
    expectRefusal(await service.call("PATCH", "/v1/provider/models/whole", {}), 404, "not_found");
    expectRefusal(await service.call("POST", "/v1/provider/models/whole/check"), 404, "not_found");
    expect(await names()).not.toContain("whole");
    expect((await service.call("POST", "/v1/provider/models", registration)).status).toBe(201);
  });

  it("is unique within its provider", async () => {
    const registration = registrationOf(provider, "unique");
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => service.call("POST", "/v1/provider/models", registration)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(4);
    const refused = answers.find(({ status }) => status === 409);
    if (refused !== undefined) expectRefusal(refused, 409, "conflict", { param: "name" });
  });

  it("can be suspended and taken up again", async () => {
    await service.call("POST", "/v1/provider/models", registrationOf(provider, "resting"));
    const suspended = await service.call("PATCH", "/v1/provider/models/resting", { state: "suspended" });
    expect(suspended.json.state).toBe("suspended");
    expect(await names()).not.toContain("resting");
    expectRefusal(await askFor("resting"), 503, "no_model_available");
    await service.call("PATCH", "/v1/provider/models/resting", { state: "active" });
    expect((await askFor("resting")).status).toBe(200);
    expectRefusal(
      await service.call("PATCH", "/v1/provider/models/resting", { state: "probation" }),
      400,
      "invalid_request",
      {
        param: "state",
        message: /active, suspended/,
      },
    );
  });

  it("gets a new price version with a new price, and with nothing else", async () => {
    const made = await service.call("POST", "/v1/provider/models", registrationOf(provider, "priced"));
    const before = made.json.price_version;
    const same = await service.call("PATCH", "/v1/provider/models/priced", {
      description: "Same price.",
      pricing: { input_per_1k_tokens: 0.001, output_per_1k_tokens: 0.002 },
    });
    expect(same.json.price_version).toBe(before);
    expect((await askFor("priced")).json.cost).toBe(0.00005);
    const dearer = await service.call("PATCH", "/v1/provider/models/priced", {
      pricing: { input_per_1k_tokens: 1_000, output_per_1k_tokens: 0.000000000001 },
    });
    expect(dearer.json.price_version).not.toBe(before);
    expect(dearer.json.pricing).toMatchObject({ input_per_1k_tokens: 1_000, output_per_1k_tokens: 1e-12 });
    // Ten tokens at a credit each, and twenty at next to nothing: rounded up once, to a nano-credit.
    const answer = await askFor("priced");
    expect(answer.json.cost).toBe(10.000000001);
    const record = await service.call("GET", `/v1/requests/${answer.headers.get("x-request-id")}`);
    expect(record.json.price_version).toBe(dearer.json.price_version);
  });

  it("can't lose its price, neither by a wrong one nor by becoming something else", async () => {
    const path = "/v1/provider/models/never-free";
    await service.call("POST", "/v1/provider/models", registrationOf(provider, "never-free"));
    for (const pricing of [null, 0, { input_per_1k_tokens: -1 }, { output_per_1k_tokens: null }]) {
      const answer = await service.call("PATCH", path, { pricing });
      expect(answer.status, JSON.stringify(pricing)).toBe(400);
      expect(answer.json.error.param).toMatch(/^pricing/);
    }
    expect((await service.call("PATCH", path, { pricing: {} })).status).toBe(200);
    expect((await askFor("never-free")).json.cost).toBe(0.00005);

    const painter = registrationOf(provider, "painter", { type: "image", pricing: { per_image: 1 } });
    await service.call("POST", "/v1/provider/models", painter);
    for (const change of [
      {},
      { pricing: {} },
      { pricing: { per_image: 1 } },
      { pricing: { input_per_1k_tokens: 1 } },
    ]) {
      const answer = await service.call("PATCH", "/v1/provider/models/painter", { type: "text", ...change });
      expect(answer.status, `${JSON.stringify(change)}: ${answer.text}`).toBe(400);
      expect(answer.json.error.param).toMatch(/^pricing/);
    }
  });

  it("gets the report of its conformance, finding by finding", async () => {
    const registration = { ...registrationOf(provider, "conforming"), endpoint: referenceEndpoint() };
    await service.call("POST", "/v1/provider/models", { ...registration, streaming: true });
    const good = await service.call("POST", "/v1/provider/models/conforming/check");
    expect(good.status, good.text).toBe(200);
    expect(good.json).toMatchObject({ passed: true, state: "active" });
    for (const finding of good.json.findings) {
      expect(finding).toEqual({
        check: expect.any(String),
        verdict: expect.stringMatching(/^(pass|warn)$/),
        message: expect.any(String),
      });
    }
    provider.script = (response) => void response.end("<h1>Hello</h1>");
    await service.call("POST", "/v1/provider/models", registrationOf(provider, "html"));
    const bad = await service.call("POST", "/v1/provider/models/html/check");
    expect(bad.status).toBe(200);
    expect(bad.json.passed).toBe(false);
    expect(bad.json.findings.some(({ verdict }: { verdict: string }) => verdict === "fail")).toBe(true);
    expect(good.text + bad.text).not.toContain(CREDENTIAL);
  });
});

describe("another account's model", () => {
  const registration = (name: string) => ({
    ...registrationOf(provider, name),
    endpoint: referenceEndpoint(),
  });

  it("waits for its check, unseen by others and never routed to", async () => {
    const otherAccount = await openCustomer(service, 10);
    const other = await openCustomer(service, 10);
    await registerAsOtherAccount(service, otherAccount, registrationOf(provider, "waiting"));
    for (const key of [other.key, otherAccount.key]) expect(await names(key)).not.toContain("waiting");
    expectRefusal(await service.call("GET", "/v1/models/waiting", undefined, of(other)), 404, "model_not_found", {
      param: "name",
    });
    expectRefusal(await askFor("waiting", other.key), 404, "model_not_found", { param: "model" });
    expectRefusal(await askFor("waiting", otherAccount.key), 503, "no_model_available");
    const own = await service.call("GET", "/v1/provider/models/waiting", undefined, of(otherAccount));
    expect(own.json).toMatchObject({ state: "pending", provider: otherAccount.provider });
    expect(provider.calls).toHaveLength(0);
  });

  it("stays where it is when its check fails", async () => {
    const otherAccount = await openCustomer(service, 10);
    await registerAsOtherAccount(service, otherAccount, registrationOf(provider, "failing"));
    provider.script = (response) => void response.writeHead(500).end("{}");
    const checked = await service.call("POST", "/v1/provider/models/failing/check", undefined, of(otherAccount));
    expect(checked.json).toMatchObject({ passed: false, state: "pending" });
    expect(await names()).not.toContain("failing");
  });

  it("passes its check and can be called by name; the operator's is another one of the same name", async () => {
    const otherAccount = await openCustomer(service, 10);
    const other = await openCustomer(service, 10);
    await registerAsOtherAccount(service, otherAccount, registration("twofold"));
    const checked = await service.call("POST", "/v1/provider/models/twofold/check", undefined, of(otherAccount));
    expect(checked.json, checked.text).toMatchObject({ passed: true, state: "probation" });
    const fullName = `${otherAccount.provider}/twofold`;
    expect(await names(other.key)).toContain(fullName);
    expect((await askFor(fullName, other.key)).json.model_used).toBe("twofold");

    const operators = await service.call("POST", "/v1/provider/models", registrationOf(provider, "twofold"));
    expect(operators.status).toBe(201);
    expect((await names(other.key)).filter((name) => name === "twofold")).toHaveLength(1);
    const { json } = await service.call("GET", "/v1/models/twofold");
    expect(json.providers.map((offer: { provider: string }) => offer.provider).sort()).toEqual(
      [otherAccount.provider, "operator"].sort(),
    );
    for (const owner of [otherAccount.provider, "operator"]) {
      const answer = await service.call("POST", "/v1/generate", { input: "one", model: `${owner}/twofold` });
      expect(answer.json.model).toBe(`${owner}/twofold`);
    }
  });

  it("is checked again when it moves or comes back", async () => {
    const otherAccount = await openCustomer(service, 10);
    await registerAsOtherAccount(service, otherAccount, registration("moving"), "probation");
    const moved = await service.call(
      "PATCH",
      "/v1/provider/models/moving",
      { endpoint: "https://93.184.215.15/v1/generate", credential: "of-the-new-place" },
      of(otherAccount),
    );
    expect(moved.json.state).toBe("pending");
    await service.call("PATCH", "/v1/provider/models/moving", { state: "suspended" }, of(otherAccount));
    const back = await service.call("PATCH", "/v1/provider/models/moving", { state: "active" }, of(otherAccount));
    expect(back.json.state).toBe("pending");
  });

  it("has its usage counted, and its own count compared with ours", async () => {
    const otherAccount = await openCustomer(service, 10);
    await registerAsOtherAccount(service, otherAccount, registrationOf(provider, "counted"), "active");
    for (let time = 0; time < 3; time++) expect((await askFor(`${otherAccount.provider}/counted`)).status).toBe(200);
    const report = (usage: unknown) => service.call("POST", "/v1/provider/usage", { usage }, of(otherAccount));
    const { status, json } = await report({ requests: 5, tokens_processed: 100 });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      reported: { requests: 5, tokens_processed: 100 },
      counted: { requests: 3, tokens_processed: 90 },
      difference: { requests: 2, tokens_processed: 10 },
    });
    for (const [param, usage] of [
      ["usage", undefined],
      ["usage.requests", { tokens_processed: 1 }],
      ["usage.requests", { requests: -1, tokens_processed: 1 }],
      ["usage.tokens_processed", { requests: 1, tokens_processed: 1.5 }],
      ["usage.tokens_processed", { requests: 1, tokens_processed: "1" }],
    ] as const) {
      expectRefusal(await report(usage), 400, "invalid_request", { param });
    }
  });
});
