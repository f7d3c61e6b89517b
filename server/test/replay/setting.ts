import type { ManualClock } from "@trunkline/testing/manual-clock.ts";
import { expect } from "vitest";
import type { Config } from "../../src/app/config/config.ts";
import { toModelTerms } from "../../src/http/requests/model-schema.ts";
import { type Customer, openCustomer } from "../support/customer.ts";
import { type StartedService, startService } from "../support/started-service.ts";
import type { ProviderWire } from "./provider-wires.ts";

type ModelBody = Parameters<typeof toModelTerms>[0];

interface ReplayModel {
  readonly name: string;
  readonly wire: ProviderWire;
  readonly terms: Omit<ModelBody, "endpoint">;
}

const text = (
  name: string,
  wire: ProviderWire,
  prices: readonly [input: number, output: number],
  accuracy: number,
  more: Partial<ModelBody> = {},
): ReplayModel => ({
  name,
  wire,
  terms: {
    type: "multimodal",
    pricing: { input_per_1k_tokens: prices[0], output_per_1k_tokens: prices[1], ...more.pricing },
    performance: { accuracy_score: accuracy, ...more.performance },
    streaming: true,
    credential: "upstream-key",
    ...without(more, "pricing", "performance"),
  },
});

function without<Fields extends object>(fields: Fields, ...names: readonly (keyof Fields)[]): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !names.some((one) => one === name)),
  ) as Partial<Fields>;
}

/** Models of four providers: cheap and dear, good and bad, fast and slow, whole and failing. */
const MODELS: readonly ReplayModel[] = [
  text("north/spruce-mini", "openai", [0.000_15, 0.000_6], 0.55, { capabilities: ["chat", "code"] }),
  text("north/spruce", "openai", [0.002_5, 0.01], 0.78, {
    capabilities: ["chat", "code", "analysis"],
    backups: ["south/coral-large"],
    pricing: { cached_input_per_1k_tokens: 0.001_25 },
  }),
  text("north/spruce-pro", "openai", [0.015, 0.06], 0.93, {
    capabilities: ["chat", "analysis"],
    context_window: 4_000,
    pricing: { per_request: 0.000_1 },
  }),
  text("north/shared", "openai", [0.001, 0.002], 0.7, { weight: 3 }),
  text("east/shared", "anthropic", [0.001, 0.002], 0.7),
  text("west/shared", "trunkline", [0.001, 0.002], 0.7, { weight: 0 }),
  text("east/refusing", "openai", [0.000_1, 0.000_1], 0.6),
  text("south/coral-small", "anthropic", [0.000_8, 0.004], 0.66, {
    specialties: ["summarization"],
    pricing: { cached_input_per_1k_tokens: 0.000_08, cache_write_per_1k_tokens: 0.001 },
  }),
  text("south/coral-large", "anthropic", [0.003, 0.015], 0.9, { max_output_tokens: 2_000 }),
  text("south/flaky", "anthropic", [0.000_2, 0.000_4], 0.72),
  text("west/dune", "trunkline", [0.000_05, 0.000_1], 0.45, { context_window: 2_000 }),
  // A near-equal of the one before, which chance tries in its place.
  text("north/sand", "openai", [0.000_055, 0.000_11], 0.45, { context_window: 2_000 }),
  text("west/dune-xl", "trunkline", [0.001_2, 0.003], 0.74, { specialties: ["code"] }),
  text("west/stone", "trunkline", [0.000_4, 0.001], 0.6, { streaming: false, type: "text" }),
  text("west/slow", "trunkline", [0.000_8, 0.000_8], 0.8, { performance: { avg_latency_ms: 9_000 } }),
  // Free, fast and bad: where a bound leaves out every other model, this one answers, and never the built-in guide.
  text("west/feather", "trunkline", [0, 0], 0.1, { performance: { avg_latency_ms: 20 } }),
  text("west/dead", "trunkline", [0.000_01, 0.000_01], 0.5),
  text("west/rare", "openai", [0.000_01, 0.000_01], 0.95, { canary_share: 0 }),
  {
    name: "north/embed",
    wire: "openai",
    terms: { type: "embedding", pricing: { input_per_1k_tokens: 0.000_02 }, credential: "upstream-key" },
  },
  { name: "west/embed", wire: "trunkline", terms: { type: "embedding", pricing: { input_per_1k_tokens: 0.000_01 } } },
];

/** Every account and key of the replay, by the name that the requests' labels use. */
export const CALLERS = [
  "main",
  "quality",
  "frozen",
  "redacting",
  "unrestored",
  "strict",
  "dry",
  "cached",
  "budget",
  "poor",
  "narrow",
  "reader",
  "nobody",
] as const;
export type CallerName = (typeof CALLERS)[number];

export interface Setting {
  readonly service: StartedService;
  readonly keys: ReadonlyMap<CallerName, string>;
  readonly customers: ReadonlyMap<string, Customer>;
  /** What chance draws from now on. It is one number for a whole request, however often it is drawn. */
  setDraw(draw: number): void;
}

/**
 * Starts the service on a clock that only the providers move. What it repeats at intervals of real time never runs:
 * when it ran would depend on the machine.
 */
export async function startSetting(clock: ManualClock, providerUrl: string): Promise<Setting> {
  let draw = 0;
  const service = await withoutIntervals(() =>
    startService(
      (config) => ({
        ...config,
        routing: { ...config.routing, exploration: 0.05 },
        limits: {
          ...config.limits,
          requestsPerMinute: 10_000_000,
          accountRequestsPerMinute: 100_000_000,
          burst: 10_000_000,
        },
        models: declaredModels(providerUrl),
      }),
      undefined,
      clock,
      () => draw,
    ),
  );
  const { keys, customers } = await openCallers(service);
  return {
    service,
    keys,
    customers,
    setDraw(next) {
      draw = next;
    },
  };
}

async function withoutIntervals<Result>(start: () => Promise<Result>): Promise<Result> {
  const usual = globalThis.setInterval;
  const never = ((_work: () => void) => usual(() => undefined, 2 ** 30).unref()) as unknown as typeof setInterval;
  globalThis.setInterval = never;
  try {
    return await start();
  } finally {
    globalThis.setInterval = usual;
  }
}

function declaredModels(providerUrl: string): Config["models"] {
  return MODELS.map(({ name: fullName, wire, terms }) => {
    const [provider = "", name = ""] = fullName.split("/");
    const base = `${providerUrl}/${wire}/${fullName}`;
    const endpoint = wire === "trunkline" ? `${base}/generate` : `${base}/v1`;
    return { provider, name, terms: toModelTerms({ ...terms, wire, endpoint }) };
  });
}

async function openCallers(service: StartedService) {
  const customers = new Map<string, Customer>();
  const keys = new Map<CallerName, string>();
  const set = async (key: string, method: string, path: string, body: unknown) => {
    const answer = await service.call(method, path, body, { key });
    expect(answer.status, answer.text).toBe(200);
  };
  const open = async (name: CallerName, credits: number, terms: Record<string, unknown> = {}) => {
    const customer = await openCustomer(service, credits, terms);
    customers.set(name, customer);
    keys.set(name, customer.key);
    return customer.key;
  };
  await open("main", 1_000);
  const quality = await open("quality", 1_000);
  await set(quality, "PUT", "/v1/routing", { strategy: "quality-optimized" });
  await set(quality, "PATCH", "/v1/settings", { store_content: true });
  const frozen = await open("frozen", 1_000);
  await set(frozen, "PUT", "/v1/routing/learning", { learning: "frozen" });
  await set(frozen, "PUT", "/v1/routing/floor", { min_quality: 0.6 });
  const redacting = await open("redacting", 1_000);
  await set(redacting, "PUT", "/v1/safety/policy", { categories: { pii: "redact", secret: "redact" } });
  await open("unrestored", 1_000, { safety: { categories: { pii: "redact", secret: "refuse" }, restore: false } });
  const strict = await open("strict", 1_000);
  await set(strict, "PUT", "/v1/safety/policy", {
    preset: "strict",
    allow_list: ["Ignore All Previous Instructions"],
    exceptions: [{ providers: ["south"], categories: { injection: "report", pii: "refuse" } }],
  });
  await open("dry", 1_000, { safety: { preset: "strict", dry_run: true } });
  await open("cached", 1_000, { cache: { ttl: 600, similarity: 0.9 } });
  await open("budget", 1_000, { budget: { limit: 0.02, period: "day" } });
  await open("poor", 0.01);
  await open("narrow", 1_000, { models: ["north/spruce", "dune", "embed"] });
  await open("reader", 1_000, { scopes: ["read"] });
  keys.set("nobody", `tl_${"0".repeat(40)}`);
  return { customers, keys };
}
