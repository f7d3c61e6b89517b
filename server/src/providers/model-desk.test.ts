import { describe, expect, it } from "vitest";
import { MemoryModels } from "../../test/memory-models.ts";
import type { Caller } from "../domain/caller.ts";
import { DEFAULT_CALL_LIMITS } from "../domain/model.ts";
import { Secret } from "../kit/secret.ts";
import { faultOf, sampleCaller, sampleModel } from "../route/samples.ts";
import { ModelCatalogue } from "./model-catalogue.ts";
import { ModelDesk, type ModelTerms } from "./model-desk.ts";

const STRANGER = sampleCaller({ accountId: "acme-account", provider: "acme", scopes: new Set(["provider"]) });
const OPERATOR = sampleCaller({ accountId: "operator-account", provider: "operator", operator: true, scopes: new Set(["provider", "admin"]) });
const PUBLIC = "https://example.test/generate";
const PRIVATE = "http://127.0.0.1:11434/generate";

const TERMS: ModelTerms = {
  type: "text",
  description: "",
  endpoint: PUBLIC,
  authType: "bearer",
  credential: new Secret("sk-1234"),
  price: { inputPerMillion: 5n, outputPerMillion: 7n, perImage: 0n, perRequest: 0n },
  capabilities: ["chat"],
  specialties: [],
  avgLatencyMs: undefined,
  accuracyScore: undefined,
  costEfficiency: undefined,
  streaming: false,
  contextWindow: undefined,
  maxOutputTokens: undefined,
  backups: [],
  limits: { connectMs: 100 },
};

function openDesk() {
  const store = new MemoryModels();
  const catalogue = new ModelCatalogue(store, []);
  const checked: [string, boolean][] = [];
  const desk = new ModelDesk(store, catalogue, async (url, mayDialPrivate) => {
    checked.push([url, mayDialPrivate]);
    return url === PRIVATE && !mayDialPrivate ? "This address is not public." : undefined;
  });
  const register = (caller: Caller, change: Partial<ModelTerms> = {}) => desk.register(caller, "x", { ...TERMS, ...change });
  return { store, catalogue, checked, desk, register };
}

describe("registering a model", () => {
  it("puts it under its account's own provider name, with the default limits around its own", async () => {
    const { desk, catalogue } = openDesk();
    const model = await desk.register(STRANGER, "x", TERMS);
    expect(model).toMatchObject({
      accountId: "acme-account",
      provider: "acme",
      name: "x",
      declared: false,
      price: { ...TERMS.price, version: "1" },
      limits: { ...DEFAULT_CALL_LIMITS, connectMs: 100 },
    });
    expect(catalogue.byName("acme/x")).toEqual([model]);
  });

  it("lets the operator's be routed at once, and a stranger's wait for its check", async () => {
    const { register } = openDesk();
    expect(await register(OPERATOR)).toMatchObject({ state: "active", mayDialPrivate: true });
    expect(await register(STRANGER)).toMatchObject({ state: "pending", mayDialPrivate: false });
  });

  it("takes a private address from an admin's key alone", async () => {
    const { register } = openDesk();
    await expect(register(STRANGER, { endpoint: PRIVATE })).rejects.toMatchObject({ type: "invalid_request", details: { param: "endpoint" } });
    const modest = { ...OPERATOR, scopes: new Set(["provider"] as const) };
    await expect(register(modest, { endpoint: PRIVATE })).rejects.toMatchObject({ details: { param: "endpoint" } });
    expect(await register(OPERATOR, { endpoint: PRIVATE })).toMatchObject({ endpoint: PRIVATE });
  });

  it("needs a credential wherever it is to be sent", async () => {
    const { register } = openDesk();
    for (const authType of ["bearer", "x-api-key"] as const) {
      await expect(register(STRANGER, { authType, credential: undefined })).rejects.toMatchObject({ details: { param: "credential" } });
    }
    expect(await register(STRANGER, { authType: "none", credential: undefined })).toMatchObject({ authType: "none" });
  });

  it("refuses a second one of the same name, also where another instance was faster, but not another provider's", async () => {
    const { desk, store, register } = openDesk();
    await register(STRANGER);
    await expect(register(STRANGER)).rejects.toMatchObject({ type: "conflict", status: 409, details: { param: "name" } });
    await register(OPERATOR);
    await store.insert({ ...sampleModel("acme/unseen"), accountId: "acme-account", declared: false, createdAt: new Date(0) });
    await expect(desk.register(STRANGER, "unseen", TERMS)).rejects.toMatchObject({ type: "conflict" });
  });

  it("answers with the new model, although the file declares another of that name elsewhere", async () => {
    const { desk, store, catalogue } = openDesk();
    await store.insert({ ...sampleModel("elsewhere/x"), accountId: OPERATOR.accountId, declared: true, createdAt: new Date(0) });
    await catalogue.reload();
    expect(await desk.register(OPERATOR, "x", TERMS)).toMatchObject({ provider: "operator", declared: false });
    expect(await desk.change(OPERATOR, "x", { description: "mine" }, undefined)).toMatchObject({ provider: "operator", description: "mine" });
  });
});

describe("changing a model", () => {
  it("touches nothing but what was said", async () => {
    const { desk, register } = openDesk();
    const before = await register(STRANGER);
    const after = await desk.change(STRANGER, "x", { description: "new", limits: { wholeMs: 5 } }, undefined);
    expect(after).toEqual({ ...before, description: "new", limits: { ...before.limits, wholeMs: 5 } });
  });

  it("gives a new price a new version", async () => {
    const { desk, register } = openDesk();
    await register(STRANGER);
    const after = await desk.change(STRANGER, "x", { price: { ...TERMS.price, perRequest: 9n } }, undefined);
    expect(after.price).toEqual({ ...TERMS.price, perRequest: 9n, version: "2" });
  });

  it("is for its owner alone: to others it does not exist", async () => {
    const { desk, register } = openDesk();
    await register(STRANGER);
    expect(faultOf(() => desk.find(OPERATOR, "x"))).toMatchObject({ type: "not_found", status: 404 });
    await expect(desk.change(OPERATOR, "x", {}, "suspended")).rejects.toMatchObject({ type: "not_found" });
    await expect(desk.withdraw(OPERATOR, "x")).rejects.toMatchObject({ type: "not_found" });
    expect(desk.list(OPERATOR)).toEqual([]);
    expect(desk.list(STRANGER)).toHaveLength(1);
  });

  it("is not possible for one that the file declares", async () => {
    const { desk, store, catalogue } = openDesk();
    await store.insert({ ...sampleModel("operator/x"), accountId: OPERATOR.accountId, declared: true, createdAt: new Date(0) });
    await catalogue.reload();
    await expect(desk.change(OPERATOR, "x", {}, "suspended")).rejects.toMatchObject({ type: "conflict", status: 409 });
    await expect(desk.withdraw(OPERATOR, "x")).rejects.toMatchObject({ type: "conflict" });
  });

  it("does not carry an admin's right to a private address over to a new endpoint", async () => {
    const { desk, register } = openDesk();
    await register(OPERATOR, { endpoint: PRIVATE });
    const modest = { ...OPERATOR, scopes: new Set(["provider"] as const) };
    expect(await desk.change(modest, "x", { description: "kept" }, undefined)).toMatchObject({ mayDialPrivate: true });
    await expect(desk.change(modest, "x", { endpoint: PRIVATE }, undefined)).rejects.toMatchObject({ details: { param: "endpoint" } });
    expect(await desk.change(modest, "x", { endpoint: PUBLIC }, undefined)).toMatchObject({ mayDialPrivate: false });
  });

  it("can't take away a credential that is still to be sent", async () => {
    const { desk, register } = openDesk();
    await register(STRANGER);
    await expect(desk.change(STRANGER, "x", { credential: undefined }, undefined)).rejects.toMatchObject({ details: { param: "credential" } });
    expect(await desk.change(STRANGER, "x", { credential: undefined, authType: "none" }, undefined)).toMatchObject({ credential: undefined });
  });

  it("frees the name when it is withdrawn", async () => {
    const { desk, catalogue, register } = openDesk();
    await register(STRANGER);
    await desk.withdraw(STRANGER, "x");
    expect(catalogue.all()).toEqual([]);
    await register(STRANGER);
  });
});

describe("the state of a stranger's model", () => {
  /** A stranger's model that has come as far as this. */
  async function deskWith(state: "pending" | "probation" | "active" | "suspended") {
    const stage = openDesk();
    const model = await stage.register(STRANGER);
    await stage.store.update({ ...model, state });
    await stage.catalogue.reload();
    return stage;
  }

  it("goes from pending to probation by its check, and only so", async () => {
    const { desk, register } = openDesk();
    await desk.passedCheck(await register(STRANGER));
    expect(desk.find(STRANGER, "x").state).toBe("probation");
    for (const state of ["active", "suspended"] as const) {
      const stage = await deskWith(state);
      await stage.desk.passedCheck(stage.desk.find(STRANGER, "x"));
      expect(stage.desk.find(STRANGER, "x").state).toBe(state);
    }
  });

  it.each<[string, Partial<ModelTerms>]>([
    ["endpoint", { endpoint: "https://elsewhere.test/" }],
    ["credential", { credential: new Secret("sk-5678") }],
    ["way to authenticate", { authType: "x-api-key" }],
  ])("is pending again when its %s changes", async (_what, terms) => {
    const { desk } = await deskWith("active");
    expect(await desk.change(STRANGER, "x", terms, undefined)).toMatchObject({ state: "pending" });
  });

  it("stays as it is when only its words or prices change", async () => {
    const { desk } = await deskWith("probation");
    expect(await desk.change(STRANGER, "x", { description: "new", price: { ...TERMS.price, perRequest: 1n } }, undefined)).toMatchObject({ state: "probation" });
  });

  it("is suspended when its owner says so, and pending when it shall come back", async () => {
    const { desk } = await deskWith("active");
    expect(await desk.change(STRANGER, "x", {}, "suspended")).toMatchObject({ state: "suspended" });
    expect(await desk.change(STRANGER, "x", {}, "active")).toMatchObject({ state: "pending" });
  });

  it("stays suspended when its endpoint changes meanwhile", async () => {
    const { desk } = await deskWith("suspended");
    expect(await desk.change(STRANGER, "x", { endpoint: "https://elsewhere.test/" }, undefined)).toMatchObject({ state: "suspended" });
  });

  it("does not fall back when it is asked to be what it is", async () => {
    const { desk } = await deskWith("active");
    expect(await desk.change(STRANGER, "x", {}, "active")).toMatchObject({ state: "active" });
  });

  it("is the operator's own to decide for its own models", async () => {
    const { desk, register } = openDesk();
    await register(OPERATOR);
    expect(await desk.change(OPERATOR, "x", { endpoint: PRIVATE }, undefined)).toMatchObject({ state: "active" });
    expect(await desk.change(OPERATOR, "x", {}, "suspended")).toMatchObject({ state: "suspended" });
    expect(await desk.change(OPERATOR, "x", {}, "active")).toMatchObject({ state: "active" });
  });

  it.each([
    [100, 0, "active"],
    [100, 5, "active"],
    [100, 6, "probation"],
    [99, 0, "probation"],
  ])("after %d answers and %d errors on probation is %s", async (requests, errors, state) => {
    const { desk } = await deskWith("probation");
    await desk.promoteProven(async () => ({ requests, errors }));
    expect(desk.find(STRANGER, "x").state).toBe(state);
  });

  it("is not proven by numbers alone where it is not on probation", async () => {
    for (const state of ["pending", "suspended"] as const) {
      const { desk } = await deskWith(state);
      await desk.promoteProven(async () => ({ requests: 10_000, errors: 0 }));
      expect(desk.find(STRANGER, "x").state).toBe(state);
    }
  });
});
