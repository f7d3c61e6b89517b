import { DEFAULT_CALL_LIMITS, FREE_PRICE } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import {
  OPERATOR,
  OTHER_ACCOUNT,
  openModelRegistry,
  openModelRegistryWith,
  PLAIN_TERMS,
  PRIVATE_ENDPOINT,
  PUBLIC_ENDPOINT,
} from "@trunkline/testing/open-model-registry.ts";
import { faultOf, sampleModel } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import type { ModelTerms } from "./model-registry.ts";

const NEW = new Secret("sk-5678");

describe("ModelRegistry", () => {
  describe("registering a model", () => {
    it("stores it under its account's provider name, with defaults for the limits that are not given", async () => {
      const { registry, catalogue } = openModelRegistry();
      const model = await registry.register(OTHER_ACCOUNT, "x", PLAIN_TERMS);
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

    it("activates the operator's model at once, while another account's waits for its check", async () => {
      const { register } = openModelRegistry();
      expect(await register(OPERATOR)).toMatchObject({ state: "active", mayDialPrivate: true });
      expect(await register(OTHER_ACCOUNT)).toMatchObject({ state: "pending", mayDialPrivate: false });
    });

    it("accepts a private address only from an admin's key", async () => {
      const { register } = openModelRegistry();
      await expect(register(OTHER_ACCOUNT, { endpoint: PRIVATE_ENDPOINT })).rejects.toMatchObject({
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

    it("refuses a type that its wire format has no models of", async () => {
      const { register, registry } = openModelRegistry();
      await expect(register(OTHER_ACCOUNT, { wire: "anthropic", type: "embedding" })).rejects.toMatchObject({
        type: "invalid_request",
        details: { param: "wire" },
      });
      await register(OTHER_ACCOUNT, { wire: "cohere", type: "embedding" });
      await expect(registry.change(OTHER_ACCOUNT, "x", { wire: "anthropic" }, undefined)).rejects.toMatchObject({
        details: { param: "wire" },
      });
    });

    it("requires a credential for every authentication type that sends one", async () => {
      const { register } = openModelRegistry();
      for (const authType of ["bearer", "x-api-key"] as const) {
        await expect(register(OTHER_ACCOUNT, { authType, credential: undefined })).rejects.toMatchObject({
          details: { param: "credential" },
        });
      }
      expect(await register(OTHER_ACCOUNT, { authType: "none", credential: undefined })).toMatchObject({
        authType: "none",
      });
    });

    it("refuses a second model of the same name, also if another instance was faster, but not another provider's", async () => {
      const { registry, store, register } = openModelRegistry();
      await register(OTHER_ACCOUNT);
      await expect(register(OTHER_ACCOUNT)).rejects.toMatchObject({
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
      await expect(registry.register(OTHER_ACCOUNT, "unseen", PLAIN_TERMS)).rejects.toMatchObject({
        type: "conflict",
      });
    });

    it("returns the new model, although the file declares another one of that name under another provider", async () => {
      const { registry, store, catalogue } = openModelRegistry();
      await store.insert({
        ...sampleModel("elsewhere/x"),
        accountId: OPERATOR.accountId,
        declared: true,
        createdAt: new Date(0),
      });
      await catalogue.reload();
      expect(await registry.register(OPERATOR, "x", PLAIN_TERMS)).toMatchObject({
        provider: "operator",
        declared: false,
      });
      expect(await registry.change(OPERATOR, "x", { description: "mine" }, undefined)).toMatchObject({
        provider: "operator",
        description: "mine",
      });
    });
  });

  describe("changing a model", () => {
    it("changes nothing but the given fields", async () => {
      const { registry, register } = openModelRegistry();
      const before = await register(OTHER_ACCOUNT);
      const after = await registry.change(
        OTHER_ACCOUNT,
        "x",
        { description: "new", limits: { wholeMs: 5 } },
        undefined,
      );
      expect(after).toEqual({ ...before, description: "new", limits: { ...before.limits, wholeMs: 5 } });
    });

    it("gives a new price a new version", async () => {
      const { registry, register } = openModelRegistry();
      await register(OTHER_ACCOUNT);
      const after = await registry.change(
        OTHER_ACCOUNT,
        "x",
        { price: { ...PLAIN_TERMS.price, perRequest: 9n } },
        undefined,
      );
      expect(after.price).toEqual({ ...PLAIN_TERMS.price, perRequest: 9n, version: "2" });
    });

    it("keeps the prices that are not given", async () => {
      const { registry, register } = openModelRegistry();
      await register(OTHER_ACCOUNT);
      const after = await registry.change(OTHER_ACCOUNT, "x", { price: { perRequest: 9n } }, undefined);
      expect(after.price).toMatchObject({ ...PLAIN_TERMS.price, perRequest: 9n });
    });

    it("without a price keeps the price that another instance has set meanwhile", async () => {
      const { registry, store, register } = openModelRegistry();
      const model = await register(OTHER_ACCOUNT);
      await store.update({ ...model, price: { version: "new", ...PLAIN_TERMS.price, perRequest: 9n } });
      const after = await registry.change(OTHER_ACCOUNT, "x", { description: "new" }, undefined);
      expect(after).toMatchObject({ description: "new", price: { perRequest: 9n } });
    });

    it("of its type requires the whole price of the new type, so that it is never free by accident", async () => {
      const { registry, register } = openModelRegistry();
      const price = { ...FREE_PRICE, perImage: 40n };
      await register(OTHER_ACCOUNT, { type: "image", price });
      const become = (newPrice: Partial<typeof price> | undefined) =>
        registry.change(
          OTHER_ACCOUNT,
          "x",
          { type: "text", ...(newPrice === undefined ? {} : { price: newPrice }) },
          undefined,
        );
      for (const newPrice of [undefined, {}, { perImage: 1n }, { inputPerMillion: 5n }, { outputPerMillion: 5n }]) {
        await expect(become(newPrice)).rejects.toMatchObject({
          type: "invalid_request",
          details: { param: expect.stringMatching(/^pricing/) },
        });
      }
      expect(await become({ inputPerMillion: 5n, outputPerMillion: 7n })).toMatchObject({ type: "text" });
    });

    it("to audio accepts a price per second", async () => {
      const { registry, register } = openModelRegistry();
      await register(OTHER_ACCOUNT);
      const change = { type: "audio", price: { perSecond: 5n } } as const;
      expect(await registry.change(OTHER_ACCOUNT, "x", change, undefined)).toMatchObject({
        type: "audio",
        price: { perSecond: 5n },
      });
    });

    it("removes the price of cached input", async () => {
      const { registry, register } = openModelRegistry();
      await register(OTHER_ACCOUNT, { price: { ...PLAIN_TERMS.price, cachedInputPerMillion: 1n } });
      const without = { price: { cachedInputPerMillion: undefined } };
      const after = await registry.change(OTHER_ACCOUNT, "x", without, undefined);
      expect(after.price).toEqual({ ...PLAIN_TERMS.price, version: "2" });
    });

    it("of a model without a known price keeps it unknown until the whole price is given", async () => {
      const { registry, store, catalogue, register } = openModelRegistry();
      const { id } = await register(OTHER_ACCOUNT);
      store.losePrice(id);
      await catalogue.reload();
      expect(await registry.change(OTHER_ACCOUNT, "x", { description: "new" }, undefined)).toMatchObject({
        description: "new",
        price: undefined,
      });
      for (const price of [{}, { perRequest: 1n }, { inputPerMillion: 1n }, { cachedInputPerMillion: 1n }]) {
        await expect(registry.change(OTHER_ACCOUNT, "x", { price }, undefined)).rejects.toMatchObject({
          type: "invalid_request",
          details: { param: "pricing" },
        });
      }
      const price = { inputPerMillion: 1n, outputPerMillion: 2n };
      expect(await registry.change(OTHER_ACCOUNT, "x", { price }, undefined)).toMatchObject({
        price: { ...FREE_PRICE, ...price, version: "2" },
      });
    });

    it("is possible only for its owner: for others it does not exist", async () => {
      const { registry, register } = openModelRegistry();
      await register(OTHER_ACCOUNT);
      expect(faultOf(() => registry.find(OPERATOR, "x"))).toMatchObject({ type: "not_found", status: 404 });
      await expect(registry.change(OPERATOR, "x", {}, "suspended")).rejects.toMatchObject({ type: "not_found" });
      await expect(registry.withdraw(OPERATOR, "x")).rejects.toMatchObject({ type: "not_found" });
      expect(registry.list(OPERATOR)).toEqual([]);
      expect(registry.list(OTHER_ACCOUNT)).toHaveLength(1);
    });

    it("is not possible for a model that the file declares", async () => {
      const { registry, store, catalogue } = openModelRegistry();
      await store.insert({
        ...sampleModel("operator/x"),
        accountId: OPERATOR.accountId,
        declared: true,
        createdAt: new Date(0),
      });
      await catalogue.reload();
      await expect(registry.change(OPERATOR, "x", {}, "suspended")).rejects.toMatchObject({
        type: "conflict",
        status: 409,
      });
      await expect(registry.withdraw(OPERATOR, "x")).rejects.toMatchObject({ type: "conflict" });
    });

    it("does not apply an admin's right to a private address to a new endpoint", async () => {
      const { registry, register } = openModelRegistry();
      await register(OPERATOR, { endpoint: PRIVATE_ENDPOINT });
      const modest = { ...OPERATOR, scopes: new Set(["provider"] as const) };
      expect(await registry.change(modest, "x", { description: "kept" }, undefined)).toMatchObject({
        mayDialPrivate: true,
      });
      await expect(registry.change(modest, "x", { endpoint: PRIVATE_ENDPOINT }, undefined)).rejects.toMatchObject({
        details: { param: "endpoint" },
      });
      expect(
        await registry.change(modest, "x", { endpoint: PUBLIC_ENDPOINT, credential: NEW }, undefined),
      ).toMatchObject({
        mayDialPrivate: false,
      });
    });

    it("can't remove a credential that is still sent", async () => {
      const { registry, register } = openModelRegistry();
      await register(OTHER_ACCOUNT);
      await expect(registry.change(OTHER_ACCOUNT, "x", { credential: undefined }, undefined)).rejects.toMatchObject({
        details: { param: "credential" },
      });
      expect(
        await registry.change(OTHER_ACCOUNT, "x", { credential: undefined, authType: "none" }, undefined),
      ).toMatchObject({
        credential: undefined,
      });
    });

    it("frees the name when it is withdrawn", async () => {
      const { registry, catalogue, register } = openModelRegistry();
      await register(OTHER_ACCOUNT);
      await registry.withdraw(OTHER_ACCOUNT, "x");
      expect(catalogue.all()).toEqual([]);
      await register(OTHER_ACCOUNT);
    });
  });
});

describe("ModelRegistry states", () => {
  describe("the state of another account's model", () => {
    it("goes from pending to probation only when its check passes", async () => {
      const { registry, register } = openModelRegistry();
      await registry.onCheckPassed(OTHER_ACCOUNT, await register(OTHER_ACCOUNT));
      expect(registry.find(OTHER_ACCOUNT, "x").state).toBe("probation");
      for (const state of ["active", "suspended"] as const) {
        const opened = await openModelRegistryWith(state);
        await opened.registry.onCheckPassed(OTHER_ACCOUNT, opened.registry.find(OTHER_ACCOUNT, "x"));
        expect(opened.registry.find(OTHER_ACCOUNT, "x").state).toBe(state);
      }
    });

    it.each<[string, Partial<ModelTerms>]>([
      ["endpoint", { endpoint: "https://elsewhere.test/", credential: NEW }],
      ["credential", { credential: NEW }],
      ["authentication type", { authType: "x-api-key", credential: NEW }],
      ["wire format", { wire: "openai", credential: NEW }],
      ["upstream name", { upstreamModel: "another" }],
    ])("is pending again when its %s changes", async (_what, terms) => {
      const { registry } = await openModelRegistryWith("active");
      expect(await registry.change(OTHER_ACCOUNT, "x", terms, undefined)).toMatchObject({ state: "pending" });
    });

    it("is pending again when its upstream name is removed, and not when nothing changes", async () => {
      const { registry, store, catalogue } = await openModelRegistryWith("active");
      const model = { ...registry.find(OTHER_ACCOUNT, "x"), upstreamModel: "another" };
      await store.update(model);
      await catalogue.reload();
      const same = { upstreamModel: "another", endpoint: model.endpoint };
      expect(await registry.change(OTHER_ACCOUNT, "x", same, undefined)).toMatchObject({ state: "active" });
      const back = { upstreamModel: undefined };
      expect(await registry.change(OTHER_ACCOUNT, "x", back, undefined)).toMatchObject({ state: "pending" });
    });

    it("stays the same when only its description or prices change", async () => {
      const { registry } = await openModelRegistryWith("probation");
      expect(
        await registry.change(
          OTHER_ACCOUNT,
          "x",
          { description: "new", price: { ...PLAIN_TERMS.price, perRequest: 1n } },
          undefined,
        ),
      ).toMatchObject({ state: "probation" });
    });

    it("is suspended when its owner suspends it, and pending when its owner activates it again", async () => {
      const { registry } = await openModelRegistryWith("active");
      expect(await registry.change(OTHER_ACCOUNT, "x", {}, "suspended")).toMatchObject({ state: "suspended" });
      expect(await registry.change(OTHER_ACCOUNT, "x", {}, "active")).toMatchObject({ state: "pending" });
    });

    it("stays suspended when its endpoint changes meanwhile", async () => {
      const { registry } = await openModelRegistryWith("suspended");
      expect(
        await registry.change(OTHER_ACCOUNT, "x", { endpoint: "https://elsewhere.test/", credential: NEW }, undefined),
      ).toMatchObject({
        state: "suspended",
      });
    });

    it("does not change when its owner requests the state it is in", async () => {
      const { registry } = await openModelRegistryWith("active");
      expect(await registry.change(OTHER_ACCOUNT, "x", {}, "active")).toMatchObject({ state: "active" });
    });

    it("is set directly by the operator for its own models", async () => {
      const { registry, register } = openModelRegistry();
      await register(OPERATOR);
      const moved = { endpoint: PRIVATE_ENDPOINT, credential: NEW };
      expect(await registry.change(OPERATOR, "x", moved, "active")).toMatchObject({ state: "active" });
      expect(await registry.change(OPERATOR, "x", {}, "suspended")).toMatchObject({ state: "suspended" });
      expect(await registry.change(OPERATOR, "x", {}, "active")).toMatchObject({ state: "active" });
    });

    it.each([
      [100, 0, "active"],
      [100, 5, "active"],
      [100, 6, "probation"],
      [99, 0, "probation"],
    ])("after %d answers and %d errors on probation is %s", async (requests, errors, state) => {
      const { registry } = await openModelRegistryWith("probation");
      await registry.promoteProven(async () => ({ requests, errors }));
      expect(registry.find(OTHER_ACCOUNT, "x").state).toBe(state);
    });

    it("changes without overwriting a price that was changed meanwhile", async () => {
      const dearer = { ...PLAIN_TERMS.price, perRequest: 9n };
      const checked = await openModelRegistryWith("pending");
      const before = checked.registry.find(OTHER_ACCOUNT, "x");
      await checked.registry.change(OTHER_ACCOUNT, "x", { price: dearer }, undefined);
      await checked.registry.onCheckPassed(OTHER_ACCOUNT, before);
      expect(checked.registry.find(OTHER_ACCOUNT, "x")).toMatchObject({
        state: "probation",
        price: { perRequest: 9n },
      });

      const proven = await openModelRegistryWith("probation");
      const model = proven.registry.find(OTHER_ACCOUNT, "x");
      await proven.registry.promoteProven(async () => {
        await proven.store.update({ ...model, price: { version: "new", ...dearer } });
        return { requests: 100, errors: 0 };
      });
      expect(proven.registry.find(OTHER_ACCOUNT, "x")).toMatchObject({ state: "active", price: { perRequest: 9n } });
    });

    it("is promoted by its numbers only from probation", async () => {
      for (const state of ["pending", "suspended"] as const) {
        const { registry } = await openModelRegistryWith(state);
        await registry.promoteProven(async () => ({ requests: 10_000, errors: 0 }));
        expect(registry.find(OTHER_ACCOUNT, "x").state).toBe(state);
      }
    });
  });
});
