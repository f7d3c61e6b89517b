import { expectRefusal } from "@trunkline/testing/expect-refusal.ts";
import { registrationOf, type ScriptedProvider, startProvider } from "@trunkline/testing/scripted-provider.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Customer, openCustomer } from "../support/customer.ts";
import { openMember } from "../support/member.ts";
import { PUBLIC_ENDPOINT } from "../support/other-accounts-model.ts";
import { type StartedService, startService } from "../support/started-service.ts";

let service: StartedService;
let provider: ScriptedProvider;
let otherAccount: Customer;

beforeAll(async () => {
  service = await startService();
  provider = await startProvider();
  otherAccount = await openCustomer(service, 0);
  const made = await service.call("POST", "/v1/provider/models", registrationOf(provider, "taken"));
  expect(made.status, made.text).toBe(201);
});

afterAll(async () => {
  expect((await service.call("GET", "/v1/provider/models")).json.data).toHaveLength(1);
  expect((await service.call("GET", "/v1/provider/models", undefined, { key: otherAccount.key })).json.data).toEqual(
    [],
  );
  expect(provider.calls).toHaveLength(0);
  await service.stop();
  await provider.stop();
});

const validate = async (body: unknown, { key, query = "" }: { key?: string; query?: string } = {}) => {
  const path = `/v1/provider/models/validate${query}`;
  const answer = await service.call("POST", path, body, key === undefined ? {} : { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.json as Record<"issues" | "warnings", { param: string; message: string }[]> & {
    valid: boolean;
  };
};
const paramsOf = (notes: { param: string }[]) => notes.map(({ param }) => param);
const draft = (change: Record<string, unknown> = {}) => registrationOf(provider, "fresh", change);

describe("a draft of a registration", () => {
  it("is valid where it would be taken, and nothing is saved", async () => {
    const { valid, issues } = await validate(draft());
    expect({ valid, issues }).toEqual({ valid: true, issues: [] });
    expect((await service.call("GET", "/v1/provider/models/fresh")).status).toBe(404);
  });

  it("gets everything that is wrong with it at once", async () => {
    const { valid, issues } = await validate({
      name: "two words",
      type: "video",
      endpoint: "ftp://models.example/v1",
      auth_type: "bearer",
      pricing: { input_per_1k_tokens: 5_000 },
    });
    expect(valid).toBe(false);
    expect(paramsOf(issues).toSorted()).toEqual([
      "credential",
      "endpoint",
      "name",
      "pricing.input_per_1k_tokens",
      "type",
    ]);
    expect(issues.find(({ param }) => param === "pricing.input_per_1k_tokens")?.message).toBe("must be at most 1000.");
  });

  it.each<[string, Record<string, unknown>]>([
    ["name", { name: "taken" }],
    ["name", { name: "auto" }],
    ["type", { type: undefined }],
    ["credential", { credential: undefined }],
    ["pricing", { pricing: undefined }],
    ["pricing.input_per_1k_tokens", { pricing: {} }],
    ["pricing.output_per_1k_tokens", { type: "text", pricing: { input_per_1k_tokens: 1 } }],
    ["endpoint", { endpoint: "not a url" }],
  ])("gets an error for %s: %j", async (param, change) => {
    const { valid, issues } = await validate(draft(change));
    expect(valid).toBe(false);
    expect(paramsOf(issues)).toContain(param);
  });

  it("gets an error for a missing price even while its name is wrong", async () => {
    const { issues } = await validate(draft({ name: "", pricing: { input_per_1k_tokens: 0.1 } }));
    expect(paramsOf(issues)).toEqual(["name", "pricing.output_per_1k_tokens"]);
  });

  it.each([
    ["https://127.0.0.1/v1"],
    ["https://10.1.2.3/v1"],
    ["https://[::1]/v1"],
    ["https://169.254.169.254/latest"],
    ["https://localhost/v1"],
    ["http://93.184.215.14/v1"],
  ])("of another account must not lead to %s", async (endpoint) => {
    const { issues } = await validate(draft({ endpoint }), { key: otherAccount.key });
    expect(paramsOf(issues)).toEqual(["endpoint"]);
  });

  it("of another account may lead to a public address, and may have another's name", async () => {
    const body = draft({ name: "taken", endpoint: PUBLIC_ENDPOINT });
    expect((await validate(body, { key: otherAccount.key })).issues).toEqual([]);
  });

  it("is warned of what is allowed and probably not meant", async () => {
    const body = draft({ pricing: { input_per_1k_tokens: 3, output_per_1k_tokens: 15 }, capabilities: [] });
    const { valid, warnings } = await validate(body);
    expect(valid).toBe(true);
    expect(paramsOf(warnings)).toEqual([
      "endpoint",
      "pricing.input_per_1k_tokens",
      "pricing.output_per_1k_tokens",
      "capabilities",
      "performance.accuracy_score",
    ]);
  });
});

describe("a draft of a change", () => {
  it("says only what is to be different", async () => {
    expect(await validate({ name: "taken", description: "New words." })).toEqual({
      valid: true,
      issues: [],
      warnings: [],
    });
    expect((await service.call("GET", "/v1/provider/models/taken")).json.description).toBe("");
  });

  it("may say everything, where it says that it is a change", async () => {
    const body = registrationOf(provider, "taken");
    expect(paramsOf((await validate(body)).issues)).toEqual(["name"]);
    expect((await validate(body, { query: "?change=true" })).issues).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ["pricing", { type: "image" }],
    ["credential", { credential: null }],
    ["endpoint", { endpoint: "https://user:word@models.example/", credential: "new" }],
    ["pricing.per_request", { pricing: { per_request: -1 } }],
    ["context_window", { context_window: 0.5 }],
  ])("gets an error for %s: %j", async (param, change) => {
    const { issues } = await validate({ name: "taken", ...change });
    expect(paramsOf(issues)).toEqual([param]);
  });

  it("of another account's model gets the answer of an unknown one", async () => {
    const of = (name: string) => validate({ name, description: "x" }, { key: otherAccount.key, query: "?change=true" });
    const { issues } = await of("taken");
    expect(paramsOf(issues)).toEqual(["name"]);
    expect((await of("never-was")).issues).toEqual(issues);
  });
});

describe("validating", () => {
  it.each([["[]"], ["null"], ['"text"'], ["5"]])("refuses a body that is no object: %s", async (body) => {
    const answer = await service.call("POST", "/v1/provider/models/validate", body);
    expectRefusal(answer, 400, "invalid_request");
  });

  it("refuses a wrong `change`", async () => {
    const answer = await service.call("POST", "/v1/provider/models/validate?change=perhaps", draft());
    expectRefusal(answer, 400, "invalid_request", { param: "change" });
  });

  it("is for those who may look at their models", async () => {
    const { key } = await openCustomer(service, 0, { scopes: ["read"] });
    const answer = await service.call("POST", "/v1/provider/models/validate", draft(), { key });
    expectRefusal(answer, 403, "insufficient_scope");
    const member = await openMember(service, "developer", otherAccount.id);
    const seen = await member.call("POST", "/v1/provider/models/validate", draft({ endpoint: PUBLIC_ENDPOINT }));
    expect(seen.json.valid).toBe(true);
  });

  it("never repeats the credential", async () => {
    const secret = "a-secret-that-is-typed";
    const body = draft({ credential: secret, name: "" });
    expect(JSON.stringify(await validate(body))).not.toContain(secret);
    expect(service.logged()).not.toContain(secret);
  });
});
