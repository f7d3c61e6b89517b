import { describe, expect, it } from "vitest";
import type { Offer } from "../../api/catalogue.ts";
import { dayOf, describeDay, describeStretch } from "./availability.ts";
import { countsOf, readModelSearch, selectOffers } from "./model-filters.ts";

const free = {
  input_per_1k_tokens: 0,
  cached_input_per_1k_tokens: null,
  cache_write_per_1k_tokens: null,
  output_per_1k_tokens: 0,
  per_image: 0,
  per_request: 0,
  per_second: 0,
};

function offer(name: string, more: Partial<Offer> = {}): Offer {
  const [provider = "", ownName = ""] = name.split("/");
  return {
    provider,
    name: ownName,
    full_name: name,
    data: null,
    type: "text",
    description: "",
    state: "active",
    own_key: false,
    pricing: free,
    next_pricing: null,
    provider_pricing: null,
    capabilities: [],
    specialties: [],
    performance: { avg_latency_ms: null, accuracy_score: null, predicted_quality: null },
    cost_efficiency: null,
    streaming: false,
    context_window: null,
    max_output_tokens: null,
    created_at: null,
    live: {
      available: true,
      state: "up",
      out_of_service_since: null,
      first_token_p95_ms: null,
      latency_ms: null,
      first_token_ms: null,
      tokens_per_second: null,
      error_rate: 0,
      calls: 0,
    },
    availability: [],
    ...more,
  };
}

const OFFERS = [
  offer("acme/large", {
    description: "Writes LETTERS",
    capabilities: ["chat", "code"],
    pricing: { ...free, input_per_1k_tokens: 0.01, output_per_1k_tokens: 0.03 },
    performance: { avg_latency_ms: null, accuracy_score: null, predicted_quality: 0.9 },
    created_at: "2026-01-02T00:00:00Z",
  }),
  offer("acme/small", {
    streaming: true,
    capabilities: ["chat"],
    pricing: { ...free, input_per_1k_tokens: 0.0001, output_per_1k_tokens: 0.0002 },
    performance: { avg_latency_ms: null, accuracy_score: 0.5, predicted_quality: null },
    created_at: "2026-01-03T00:00:00Z",
  }),
  offer("paint/er", { type: "image", pricing: { ...free, per_image: 0.04 } }),
  offer("builtin/guide"),
];
const namesFor = (search: Record<string, unknown>) =>
  selectOffers(OFFERS, readModelSearch(search)).map(({ full_name }) => full_name);

describe("the list of models", () => {
  it("is found by all of the words, whatever their case", () => {
    expect(namesFor({ q: "letters ACME" })).toEqual(["acme/large"]);
    expect(namesFor({ q: "letters paint" })).toEqual([]);
  });

  it("is narrowed by type, capability, provider, streaming and price", () => {
    expect(namesFor({ type: "image" })).toEqual(["paint/er"]);
    expect(namesFor({ capability: "code" })).toEqual(["acme/large"]);
    expect(namesFor({ provider: "builtin" })).toEqual(["builtin/guide"]);
    expect(namesFor({ streaming: true })).toEqual(["acme/small"]);
    expect(namesFor({ price: "free" })).toEqual(["builtin/guide"]);
    expect(namesFor({ price: "under-1" })).toEqual(["acme/small"]);
    expect(namesFor({ price: "under-10" })).toEqual(["acme/small"]);
    expect(namesFor({ price: "over-10" })).toEqual(["acme/large"]);
  });

  it("is sorted with what is not known at its end", () => {
    expect(namesFor({ sort: "price" })).toEqual(["builtin/guide", "acme/small", "acme/large", "paint/er"]);
    expect(namesFor({ sort: "quality" }).slice(0, 2)).toEqual(["acme/large", "acme/small"]);
    expect(namesFor({ sort: "newest" }).slice(0, 2)).toEqual(["acme/small", "acme/large"]);
    expect(namesFor({ sort: "latency" })).toEqual(namesFor({}));
  });
});

describe("an address of the list", () => {
  it("says nothing that can't be", () => {
    expect(
      readModelSearch({ q: "", type: "video", sort: 7, price: {}, streaming: "yes", compare: "a", view: [] }),
    ).toEqual({});
  });

  it("takes four models to compare, each once", () => {
    expect(readModelSearch({ compare: ["a", "b", "a", 5, "c", "d", "e"] }).compare).toEqual(["a", "b", "c", "d"]);
  });

  it("may search for what reads as a number", () => {
    expect(readModelSearch({ q: 70 }).q).toBe("70");
  });
});

describe("what there is to choose from", () => {
  it("has the most frequent first", () => {
    expect(countsOf(["b", "a", "b", "c"])).toEqual([
      { value: "b", count: 2 },
      { value: "a", count: 1 },
      { value: "c", count: 1 },
    ]);
  });
});

describe("a day of an endpoint", () => {
  const at = "2026-01-01T10:00:00.000Z";

  it("is summed up in a sentence", () => {
    const stretches = [
      { at, calls: 1_195, failures: 10, state: "up" as const },
      { at, calls: 8, failures: 0, state: "up" as const },
    ];
    expect(dayOf(stretches)).toMatchObject({ calls: 1_203, failures: 10 });
    expect(describeDay(stretches)).toBe("99.2% uptime, 1,203 calls in 24 h");
    expect(describeDay([{ at, calls: 1, failures: 0, state: "up" }])).toBe("100% uptime, 1 call in 24 h");
    expect(describeDay([{ at, calls: 0, failures: 0, state: "no data" }])).toBe("No calls in the last 24 h");
  });

  it("says of each stretch what happened", () => {
    expect(describeStretch({ at, calls: 310, failures: 2, state: "up" })).toMatch(/^\d\d:00: up, 2 of 310 failed$/);
    expect(describeStretch({ at, calls: 0, failures: 0, state: "no data" })).toMatch(/^\d\d:00: no calls$/);
  });
});
