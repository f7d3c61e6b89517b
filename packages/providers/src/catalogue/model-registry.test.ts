import { DEFAULT_CALL_LIMITS, FREE_PRICE } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import {
  OPERATOR,
  openModelDesk,
  openModelDeskWith,
  PLAIN_TERMS,
  PRIVATE_ENDPOINT,
  PUBLIC_ENDPOINT,
  STRANGER,
} from "@trunkline/testing/open-model-desk.ts";
import { faultOf, sampleModel } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import type { ModelTerms } from "./model-registry.ts";

describe("model-registry", () => {
  describe("registering a model", () => {
    it("puts it under its account's own provider name, with the default limits around its own", async () => {
      const { desk, catalogue } = openModelDesk();
      const model = await desk.register(STRANGER, "x", PLAIN_TERMS);
      expect(model).toMatchObject({
        accountId: "acme-account",
        provider: "acme",
        name: "x",
        declared: false,
        price: { ...PLAIN_TERMS.price, version: "1" },
        limits: { ...DEFAULT_CALL_LIMITS, connectMs: 100 },
      });
      expect(catalogue.byName("acme/x")).toEqual([model]);
    });

    it("lets the operator's be routed at once, and a stranger's wait for its check", async () => {
      const { register } = openModelDesk();
      expect(await register(OPERATOR)).toMatchObject({ state: "active", mayDialPrivate: true });
      expect(await register(STRANGER)).toMatchObject({ state: "pending", mayDialPrivate: false });
    });

    it("takes a private address from an admin's key alone", async () => {
      const { register } = openModelDesk();
      await expect(register(STRANGER, { endpoint: PRIVATE_ENDPOINT })).rejects.toMatchObject({
        type: "invalid_request",
        details: { param: "endpoint" },
      });
      const modest = { ...OPERATOR, scopes: new Set(["provider"] as const) };
      await expect(register(modest, { endpoint: PRIVATE_ENDPOINT })).rejects.toMatchObject({
        details: { param: "endpoint" },
      });
      expect(await register(OPERATOR, { endpoint: PRIVATE_ENDPOINT })).toMatchObject({
        endpoint: PRIVATE_ENDPOINT,
      });
    });

    it("takes no type that its wire format has no models of", async () => {
      const { register, desk } = openModelDesk();
      await expect(register(STRANGER, { wire: "anthropic", type: "embedding" })).rejects.toMatchObject({
        type: "invalid_request",
        details: { param: "wire" },
      });
      await register(STRANGER, { wire: "cohere", type: "embedding" });
      await expect(desk.change(STRANGER, "x", { wire: "anthropic" }, undefined)).rejects.toMatchObject({
        details: { param: "wire" },
      });
    });

    it("needs a credential wherever it is to be sent", async () => {
      const { register } = openModelDesk();
      for (const authType of ["bearer", "x-api-key"] as const) {
        await expect(register(STRANGER, { authType, credential: undefined })).rejects.toMatchObject({
          details: { param: "credential" },
        });
      }
      expect(await register(STRANGER, { authType: "none", credential: undefined })).toMatchObject({
        authType: "none",
      });
    });

    it("refuses a second one of the same name, also where another instance was faster, but not another provider's", async () => {
      const { desk, store, register } = openModelDesk();
      await register(STRANGER);
      await expect(register(STRANGER)).rejects.toMatchObject({
        type: "conflict",
        status: 409,
        details: { param: "name" },
      });
      await register(OPERATOR);
      await store.insert({
        ...sampleModel("acme/unseen"),
        accountId: "acme-account",
        declared: false,
        createdAt: new Date(0),
      });
      await expect(desk.register(STRANGER, "unseen", PLAIN_TERMS)).rejects.toMatchObject({
        type: "conflict",
      });
    });

    it("answers with the new model, although the file declares another of that name elsewhere", async () => {
      const { desk, store, catalogue } = openModelDesk();
      await store.insert({
        ...sampleModel("elsewhere/x"),
        accountId: OPERATOR.accountId,
        declared: true,
        createdAt: new Date(0),
      });
      await catalogue.reload();
      expect(await desk.register(OPERATOR, "x", PLAIN_TERMS)).toMatchObject({
        provider: "operator",
        declared: false,
      });
      expect(await desk.change(OPERATOR, "x", { description: "mine" }, undefined)).toMatchObject({
        provider: "operator",
        description: "mine",
      });
    });
  });

  describe("changing a model", () => {
    it("touches nothing but what was said", async () => {
      const { desk, register } = openModelDesk();
      const before = await register(STRANGER);
      const after = await desk.change(STRANGER, "x", { description: "new", limits: { wholeMs: 5 } }, undefined);
      expect(after).toEqual({ ...before, description: "new", limits: { ...before.limits, wholeMs: 5 } });
    });

    it("gives a new price a new version", async () => {
      const { desk, register } = openModelDesk();
      await register(STRANGER);
      const after = await desk.change(STRANGER, "x", { price: { ...PLAIN_TERMS.price, perRequest: 9n } }, undefined);
      expect(after.price).toEqual({ ...PLAIN_TERMS.price, perRequest: 9n, version: "2" });
    });

    it("keeps the prices that were not said", async () => {
      const { desk, register } = openModelDesk();
      await register(STRANGER);
      const after = await desk.change(STRANGER, "x", { price: { perRequest: 9n } }, undefined);
      expect(after.price).toMatchObject({ ...PLAIN_TERMS.price, perRequest: 9n });
    });

    it("without a price leaves one that another instance changed meanwhile", async () => {
      const { desk, store, register } = openModelDesk();
      const model = await register(STRANGER);
      await store.update({ ...model, price: { version: "new", ...PLAIN_TERMS.price, perRequest: 9n } });
      const after = await desk.change(STRANGER, "x", { description: "new" }, undefined);
      expect(after).toMatchObject({ description: "new", price: { perRequest: 9n } });
    });

    it("of its type is never free by accident: all that the new type is paid by must be said anew", async () => {
      const { desk, register } = openModelDesk();
      const price = { ...FREE_PRICE, perImage: 40n };
      await register(STRANGER, { type: "image", price });
      const become = (said: Partial<typeof price> | undefined) =>
        desk.change(STRANGER, "x", { type: "text", ...(said === undefined ? {} : { price: said }) }, undefined);
      for (const said of [undefined, {}, { perImage: 1n }, { inputPerMillion: 5n }, { outputPerMillion: 5n }]) {
        await expect(become(said)).rejects.toMatchObject({
          type: "invalid_request",
          details: { param: expect.stringMatching(/^pricing/) },
        });
      }
      expect(await become({ inputPerMillion: 5n, outputPerMillion: 7n })).toMatchObject({ type: "text" });
    });

    it("to audio may be paid by the second", async () => {
      const { desk, register } = openModelDesk();
      await register(STRANGER);
      const change = { type: "audio", price: { perSecond: 5n } } as const;
      expect(await desk.change(STRANGER, "x", change, undefined)).toMatchObject({
        type: "audio",
        price: { perSecond: 5n },
      });
    });

    it("takes the cache's own price away where that is said", async () => {
      const { desk, register } = openModelDesk();
      await register(STRANGER, { price: { ...PLAIN_TERMS.price, cachedInputPerMillion: 1n } });
      const without = { price: { cachedInputPerMillion: undefined } };
      const after = await desk.change(STRANGER, "x", without, undefined);
      expect(after.price).toEqual({ ...PLAIN_TERMS.price, version: "2" });
    });

    it("of a model whose price is not known leaves it so, until all of it is said", async () => {
      const { desk, store, catalogue, register } = openModelDesk();
      const { id } = await register(STRANGER);
      store.losePrice(id);
      await catalogue.reload();
      expect(await desk.change(STRANGER, "x", { description: "new" }, undefined)).toMatchObject({
        description: "new",
        price: undefined,
      });
      for (const price of [{}, { perRequest: 1n }, { inputPerMillion: 1n }, { cachedInputPerMillion: 1n }]) {
        await expect(desk.change(STRANGER, "x", { price }, undefined)).rejects.toMatchObject({
          type: "invalid_request",
          details: { param: "pricing" },
        });
      }
      const price = { inputPerMillion: 1n, outputPerMillion: 2n };
      expect(await desk.change(STRANGER, "x", { price }, undefined)).toMatchObject({
        price: { ...FREE_PRICE, ...price, version: "2" },
      });
    });

    it("is for its owner alone: to others it does not exist", async () => {
      const { desk, register } = openModelDesk();
      await register(STRANGER);
      expect(faultOf(() => desk.find(OPERATOR, "x"))).toMatchObject({ type: "not_found", status: 404 });
      await expect(desk.change(OPERATOR, "x", {}, "suspended")).rejects.toMatchObject({ type: "not_found" });
      await expect(desk.withdraw(OPERATOR, "x")).rejects.toMatchObject({ type: "not_found" });
      expect(desk.list(OPERATOR)).toEqual([]);
      expect(desk.list(STRANGER)).toHaveLength(1);
    });

    it("is not possible for one that the file declares", async () => {
      const { desk, store, catalogue } = openModelDesk();
      await store.insert({
        ...sampleModel("operator/x"),
        accountId: OPERATOR.accountId,
        declared: true,
        createdAt: new Date(0),
      });
      await catalogue.reload();
      await expect(desk.change(OPERATOR, "x", {}, "suspended")).rejects.toMatchObject({
        type: "conflict",
        status: 409,
      });
      await expect(desk.withdraw(OPERATOR, "x")).rejects.toMatchObject({ type: "conflict" });
    });

    it("does not carry an admin's right to a private address over to a new endpoint", async () => {
      const { desk, register } = openModelDesk();
      await register(OPERATOR, { endpoint: PRIVATE_ENDPOINT });
      const modest = { ...OPERATOR, scopes: new Set(["provider"] as const) };
      expect(await desk.change(modest, "x", { description: "kept" }, undefined)).toMatchObject({
        mayDialPrivate: true,
      });
      await expect(desk.change(modest, "x", { endpoint: PRIVATE_ENDPOINT }, undefined)).rejects.toMatchObject({
        details: { param: "endpoint" },
      });
      expect(await desk.change(modest, "x", { endpoint: PUBLIC_ENDPOINT }, undefined)).toMatchObject({
        mayDialPrivate: false,
      });
    });

    it("can't take away a credential that is still to be sent", async () => {
      const { desk, register } = openModelDesk();
      await register(STRANGER);
      await expect(desk.change(STRANGER, "x", { credential: undefined }, undefined)).rejects.toMatchObject({
        details: { param: "credential" },
      });
      expect(await desk.change(STRANGER, "x", { credential: undefined, authType: "none" }, undefined)).toMatchObject({
        credential: undefined,
      });
    });

    it("frees the name when it is withdrawn", async () => {
      const { desk, catalogue, register } = openModelDesk();
      await register(STRANGER);
      await desk.withdraw(STRANGER, "x");
      expect(catalogue.all()).toEqual([]);
      await register(STRANGER);
    });
  });
});

describe("model-registry.states", () => {
  describe("the state of a stranger's model", () => {
    it("goes from pending to probation by its check, and only so", async () => {
      const { desk, register } = openModelDesk();
      await desk.onCheckPassed(await register(STRANGER));
      expect(desk.find(STRANGER, "x").state).toBe("probation");
      for (const state of ["active", "suspended"] as const) {
        const stage = await openModelDeskWith(state);
        await stage.desk.onCheckPassed(stage.desk.find(STRANGER, "x"));
        expect(stage.desk.find(STRANGER, "x").state).toBe(state);
      }
    });

    it.each<[string, Partial<ModelTerms>]>([
      ["endpoint", { endpoint: "https://elsewhere.test/" }],
      ["credential", { credential: new Secret("sk-5678") }],
      ["way to authenticate", { authType: "x-api-key" }],
      ["wire format", { wire: "openai" }],
      ["name upstream", { upstreamModel: "another" }],
    ])("is pending again when its %s changes", async (_what, terms) => {
      const { desk } = await openModelDeskWith("active");
      expect(await desk.change(STRANGER, "x", terms, undefined)).toMatchObject({ state: "pending" });
    });

    it("is pending again when its name upstream is taken back, and not when nothing is another", async () => {
      const { desk, store, catalogue } = await openModelDeskWith("active");
      const model = { ...desk.find(STRANGER, "x"), upstreamModel: "another" };
      await store.update(model);
      await catalogue.reload();
      const same = { upstreamModel: "another", endpoint: model.endpoint };
      expect(await desk.change(STRANGER, "x", same, undefined)).toMatchObject({ state: "active" });
      const back = { upstreamModel: undefined };
      expect(await desk.change(STRANGER, "x", back, undefined)).toMatchObject({ state: "pending" });
    });

    it("stays as it is when only its words or prices change", async () => {
      const { desk } = await openModelDeskWith("probation");
      expect(
        await desk.change(
          STRANGER,
          "x",
          { description: "new", price: { ...PLAIN_TERMS.price, perRequest: 1n } },
          undefined,
        ),
      ).toMatchObject({ state: "probation" });
    });

    it("is suspended when its owner says so, and pending when it shall come back", async () => {
      const { desk } = await openModelDeskWith("active");
      expect(await desk.change(STRANGER, "x", {}, "suspended")).toMatchObject({ state: "suspended" });
      expect(await desk.change(STRANGER, "x", {}, "active")).toMatchObject({ state: "pending" });
    });

    it("stays suspended when its endpoint changes meanwhile", async () => {
      const { desk } = await openModelDeskWith("suspended");
      expect(await desk.change(STRANGER, "x", { endpoint: "https://elsewhere.test/" }, undefined)).toMatchObject({
        state: "suspended",
      });
    });

    it("does not fall back when it is asked to be what it is", async () => {
      const { desk } = await openModelDeskWith("active");
      expect(await desk.change(STRANGER, "x", {}, "active")).toMatchObject({ state: "active" });
    });

    it("is the operator's own to decide for its own models", async () => {
      const { desk, register } = openModelDesk();
      await register(OPERATOR);
      expect(await desk.change(OPERATOR, "x", { endpoint: PRIVATE_ENDPOINT }, undefined)).toMatchObject({
        state: "active",
      });
      expect(await desk.change(OPERATOR, "x", {}, "suspended")).toMatchObject({ state: "suspended" });
      expect(await desk.change(OPERATOR, "x", {}, "active")).toMatchObject({ state: "active" });
    });

    it.each([
      [100, 0, "active"],
      [100, 5, "active"],
      [100, 6, "probation"],
      [99, 0, "probation"],
    ])("after %d answers and %d errors on probation is %s", async (requests, errors, state) => {
      const { desk } = await openModelDeskWith("probation");
      await desk.promoteProven(async () => ({ requests, errors }));
      expect(desk.find(STRANGER, "x").state).toBe(state);
    });

    it("changes without its price: one that was changed meanwhile stays changed", async () => {
      const dearer = { ...PLAIN_TERMS.price, perRequest: 9n };
      const checked = await openModelDeskWith("pending");
      const before = checked.desk.find(STRANGER, "x");
      await checked.desk.change(STRANGER, "x", { price: dearer }, undefined);
      await checked.desk.onCheckPassed(before);
      expect(checked.desk.find(STRANGER, "x")).toMatchObject({
        state: "probation",
        price: { perRequest: 9n },
      });

      const proven = await openModelDeskWith("probation");
      const model = proven.desk.find(STRANGER, "x");
      await proven.desk.promoteProven(async () => {
        await proven.store.update({ ...model, price: { version: "new", ...dearer } });
        return { requests: 100, errors: 0 };
      });
      expect(proven.desk.find(STRANGER, "x")).toMatchObject({ state: "active", price: { perRequest: 9n } });
    });

    it("is not proven by numbers alone where it is not on probation", async () => {
      for (const state of ["pending", "suspended"] as const) {
        const { desk } = await openModelDeskWith(state);
        await desk.promoteProven(async () => ({ requests: 10_000, errors: 0 }));
        expect(desk.find(STRANGER, "x").state).toBe(state);
      }
    });
  });
});
