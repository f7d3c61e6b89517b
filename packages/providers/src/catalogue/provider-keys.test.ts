import { fullNameOf, type PricedModel } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { newGate } from "@trunkline/testing/gate.ts";
import { MemoryModels } from "@trunkline/testing/memory-models.ts";
import { sampleBuiltin, sampleCaller, sampleModel } from "@trunkline/testing/samples.ts";
import { describe, expect, it } from "vitest";
import { ModelCatalogue, type RegisteredModel } from "./model-catalogue.ts";
import { type ProviderKey, type ProviderKeyDraft, type ProviderKeyStore, ProviderKeys } from "./provider-keys.ts";

/** Keys in memory. */
class MemoryKeys implements ProviderKeyStore {
  readonly #keys: (ProviderKey & { readonly key: Secret })[] = [];
  /** What a reading waits for after it has seen the keys. */
  gate: Promise<void> | undefined;

  async all() {
    const seen = [...this.#keys];
    await this.gate;
    return seen;
  }

  async list() {
    return this.#keys;
  }

  async create(draft: ProviderKeyDraft, key: Secret) {
    const created = { ...draft, createdAt: new Date(0), key };
    this.#keys.push(created);
    return created;
  }

  async remove() {
    return false;
  }
}

const CALLER = sampleCaller({ accountId: "acme-account" });

const discovered = (name: string): RegisteredModel & PricedModel => {
  const model = sampleModel(name, { discovered: true });
  return { ...model, ownKeyPrice: model.price, accountId: "operator", declared: true, createdAt: new Date(0) };
};

function setUp(addModels: (models: MemoryModels, catalogue: ModelCatalogue) => Promise<void> = async () => undefined) {
  const models = new MemoryModels();
  const keys = new MemoryKeys();
  const catalogue = new ModelCatalogue(models, [sampleBuiltin("guide", "text")]);
  const providerKeys = new ProviderKeys({
    store: keys,
    catalogue,
    canServe: () => true,
    explainUnfit: () => undefined,
    addModels: () => addModels(models, catalogue),
    isOffered: () => true,
  });
  const names = () => providerKeys.catalogueFor(CALLER).all().map(fullNameOf);
  const connect = (provider: string) => providerKeys.create(CALLER, provider, new Secret("sk-a-pasted-key"), false);
  return { models, keys, catalogue, providerKeys, names, connect };
}

describe("the catalogue of an account with a provider key", () => {
  it("has the provider's models, also where it was read after the key was stored and before they were", async () => {
    const { models, catalogue, names, connect } = setUp();
    await connect("openai");
    expect(names()).toEqual(["builtin/guide"]);
    await models.insert(discovered("openai/gpt-4o"));
    await catalogue.reload();
    expect(names()).toEqual(["openai/gpt-4o", "builtin/guide"]);
  });

  it("stays the same list while neither keys nor models change", async () => {
    const { models, catalogue, providerKeys, connect } = setUp();
    await models.insert(discovered("openai/gpt-4o"));
    await catalogue.reload();
    await connect("openai");
    const before = providerKeys.catalogueFor(CALLER);
    await Promise.all([catalogue.reload(), providerKeys.reload()]);
    expect(providerKeys.catalogueFor(CALLER)).toBe(before);
  });

  it("has the models of the newest key, whichever of two readings ends first", async () => {
    const { models, catalogue, keys, providerKeys, names, connect } = setUp();
    for (const name of ["openai/gpt-4o", "mistral/mistral-large"]) await models.insert(discovered(name));
    await catalogue.reload();
    await connect("openai");
    const gate = newGate();
    keys.gate = gate.opened;
    const early = providerKeys.reload();
    keys.gate = undefined;
    const late = connect("mistral");
    await new Promise(setImmediate);
    gate.open();
    await Promise.all([early, late]);
    expect(names()).toEqual(["openai/gpt-4o", "mistral/mistral-large", "builtin/guide"]);
  });
});

describe("a provider key", () => {
  it("is stored after the provider's models, so that no account has a key without them", async () => {
    const { keys, connect } = setUp(() => Promise.reject(new Error("away")));
    await expect(connect("openai")).rejects.toThrow("away");
    expect(await keys.all()).toEqual([]);
  });
});
