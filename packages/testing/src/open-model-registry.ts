import type { Caller } from "@trunkline/core/caller.ts";
import { FREE_PRICE, type ModelState } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { ModelCatalogue } from "@trunkline/providers/catalogue/model-catalogue.ts";
import { ModelRegistry, type ModelTerms } from "@trunkline/providers/catalogue/model-registry.ts";
import { MemoryModels } from "./memory-models.ts";
import { sampleCaller } from "./samples.ts";

export const OTHER_ACCOUNT = sampleCaller({
  accountId: "acme-account",
  provider: "acme",
  scopes: new Set(["provider"]),
});
export const OPERATOR = sampleCaller({
  accountId: "operator-account",
  provider: "operator",
  operator: true,
  scopes: new Set(["provider", "admin"]),
});
export const PUBLIC_ENDPOINT = "https://example.test/generate";
export const PRIVATE_ENDPOINT = "http://127.0.0.1:11434/generate";

/** The registration of a plain model. */
export const PLAIN_TERMS: ModelTerms = {
  type: "text",
  wire: "trunkline",
  description: "",
  endpoint: PUBLIC_ENDPOINT,
  authType: "bearer",
  credential: new Secret("sk-1234"),
  price: { ...FREE_PRICE, inputPerMillion: 5n, outputPerMillion: 7n },
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

/** A registry without any models, at which only an admin's key may name the private endpoint. */
export function openModelRegistry() {
  const store = new MemoryModels();
  const catalogue = new ModelCatalogue(store, []);
  const registry = new ModelRegistry(store, catalogue, async (url, mayDialPrivate) =>
    url === PRIVATE_ENDPOINT && !mayDialPrivate ? "This address is not public." : undefined,
  );
  const register = (caller: Caller, change: Partial<ModelTerms> = {}) =>
    registry.register(caller, "x", { ...PLAIN_TERMS, ...change });
  return { store, catalogue, registry, register };
}

/** A registry with one model of another account, in this state. */
export async function openModelRegistryWith(state: ModelState) {
  const opened = openModelRegistry();
  const model = await opened.register(OTHER_ACCOUNT);
  await opened.store.update({ ...model, state });
  await opened.catalogue.reload();
  return opened;
}
