import { fullNameOf, type Model, type PricedModel } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { MemoryModels } from "@trunkline/testing/memory-models.ts";
import { sampleBuiltin, sampleModel } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { ModelCatalogue, type RegisteredModel } from "./model-catalogue.ts";

const GUIDE = sampleBuiltin("guide", "text");

type StoredModel = RegisteredModel & PricedModel;

const registered = (name: string, change: Partial<StoredModel> = {}): StoredModel => ({
  ...sampleModel(name),
  accountId: "acme-account",
  declared: false,
  createdAt: new Date(0),
  ...change,
});

async function catalogueWith(...models: StoredModel[]) {
  const store = new MemoryModels();
  for (const model of models) await store.insert(model);
  return { store, catalogue: new ModelCatalogue(store, [GUIDE]) };
}

const namesOf = (models: readonly Model[]) => models.map(fullNameOf);

describe("ModelCatalogue", () => {
  it("knows the built-in models from the start, and the registered ones once it is loaded", async () => {
    const { catalogue } = await catalogueWith(registered("acme/x"));
    expect(namesOf(catalogue.all())).toEqual(["builtin/guide"]);
    await catalogue.reload();
    expect(namesOf(catalogue.all())).toEqual(["acme/x", "builtin/guide"]);
  });

  it("finds models by their name, which several may share, and by their full name, which is unique", async () => {
    const { catalogue } = await catalogueWith(registered("acme/x"), registered("other/x"), registered("acme/y"));
    await catalogue.reload();
    expect(namesOf(catalogue.byName("x"))).toEqual(["acme/x", "other/x"]);
    expect(namesOf(catalogue.byName("other/x"))).toEqual(["other/x"]);
    expect(namesOf(catalogue.byName("guide"))).toEqual(["builtin/guide"]);
    for (const unknown of ["X", "z", "", "acme", "acme/", "constructor", "__proto__"])
      expect(catalogue.byName(unknown)).toEqual([]);
  });

  it("lists an account's own models, and those on probation", async () => {
    const { catalogue } = await catalogueWith(
      registered("acme/x"),
      registered("other/y", { accountId: "other-account", state: "probation" }),
    );
    await catalogue.reload();
    expect(namesOf(catalogue.registeredBy("acme-account"))).toEqual(["acme/x"]);
    expect(namesOf(catalogue.registeredBy("other-account"))).toEqual(["other/y"]);
    expect(catalogue.registeredBy("unknown-account")).toEqual([]);
    expect(namesOf(catalogue.onProbation())).toEqual(["other/y"]);
  });

  it("does not change the copies that were returned before a model changes", async () => {
    const model = registered("acme/x");
    const { store, catalogue } = await catalogueWith(model);
    await catalogue.reload();
    const quoted = catalogue.byName("x")[0];
    await store.update({ ...model, price: { ...model.price, perRequest: 9n } });
    await catalogue.reload();
    expect(quoted?.price?.perRequest).toBe(0n);
    expect(catalogue.byName("x")[0]?.price?.perRequest).toBe(9n);
  });
});

describe("reloading", () => {
  it("keeps the list and its models while nothing has changed", async () => {
    const model = registered("acme/x");
    const discovered = registered("openai/y", { discovered: true });
    const store = new MemoryModels();
    for (const each of [model, discovered]) await store.insert(each);
    let keys = [new Secret("sk-one")];
    const catalogue = new ModelCatalogue(store, [GUIDE], { keysFor: () => keys });
    await catalogue.reload();
    const before = catalogue.all();
    await catalogue.reload();
    expect(catalogue.all()).toBe(before);
    await store.update({ ...model, description: "new words" });
    await catalogue.reload();
    expect(catalogue.all().map((each, at) => each === before[at])).toEqual([false, true, true]);
    keys = [new Secret("sk-two")];
    catalogue.rebuild();
    expect(catalogue.byName("openai/y")[0]?.keys).toBe(keys);
  });

  it("that is requested during another one sees what had changed by then", async () => {
    const { store, catalogue } = await catalogueWith();
    const gate = newGate();
    store.gate = gate.opened;
    const early = catalogue.reload();
    await store.insert(registered("acme/late"));
    const late = catalogue.reload();
    gate.open();
    await Promise.all([early, late]);
    expect(namesOf(catalogue.byName("late"))).toEqual(["acme/late"]);
  });

  it("reads the store twice at most for concurrent calls", async () => {
    const { store, catalogue } = await catalogueWith();
    await Promise.all(Array.from({ length: 20 }, () => catalogue.reload()));
    expect(store.reads).toBe(2);
    await catalogue.reload();
    expect(store.reads).toBe(3);
  });

  it("that fails rejects, keeps the models, and can be repeated", async () => {
    const { store, catalogue } = await catalogueWith(registered("acme/x"));
    await catalogue.reload();
    store.gate = Promise.reject(new Error("away"));
    await expect(Promise.all([catalogue.reload(), catalogue.reload()])).rejects.toThrow("away");
    expect(namesOf(catalogue.byName("x"))).toEqual(["acme/x"]);
    store.gate = undefined;
    await store.insert(registered("acme/y"));
    await catalogue.reload();
    expect(namesOf(catalogue.byName("y"))).toEqual(["acme/y"]);
  });
});
