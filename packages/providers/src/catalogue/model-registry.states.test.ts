import { Secret } from "@trunkline/core/secret.ts";
import {
  OPERATOR,
  openModelDesk,
  openModelDeskWith,
  PLAIN_TERMS,
  PRIVATE_ENDPOINT,
  STRANGER,
} from "@trunkline/testing/open-model-desk.ts";
import { describe, expect, it } from "vitest";
import type { ModelTerms } from "./model-registry.ts";

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
    expect(
      await desk.change(STRANGER, "x", { endpoint: "https://elsewhere.test/" }, undefined),
    ).toMatchObject({ state: "suspended" });
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
    expect(checked.desk.find(STRANGER, "x")).toMatchObject({ state: "probation", price: { perRequest: 9n } });

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
