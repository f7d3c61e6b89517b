import { Fault } from "@trunkline/core/fault.ts";
import {
  areValidWeights,
  DEFAULT_WEIGHTS,
  normaliseWeights,
  STRATEGIES,
  type StrategyWeights,
} from "@trunkline/core/inference.ts";
import type { Price } from "@trunkline/core/model.ts";
import { fromCredits, toCredits } from "@trunkline/core/money.ts";
import { priceOf } from "@trunkline/core/price.ts";
import {
  type PastCandidate,
  type PastRequest,
  type ReroutedRequest,
  type RoutingTotals,
  reportStrategies,
  type StrategyComparison,
} from "@trunkline/router/report/strategy-report.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import type { RoutedRequest } from "../../../store/usage/request-samples.ts";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const REQUESTS_MAX = 1_000;
const REQUESTS_DEFAULT = 200;
const DAY_MS = 24 * 60 * 60 * 1000;

const shareSchema = z.number().min(0).max(1);
const weightsSchema = z.object({ cost: shareSchema, speed: shareSchema, quality: shareSchema });
const WEIGHTS_SUM_MESSAGE = "and the other two must add up to 1";

const readWeights = controlEndpoint({
  method: "GET",
  path: "/v1/routing/weights",
  permission: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "What the account's `hybrid` weighs",
  description: "How much cost, speed and quality count. Together they are 1.",
  faults: [],
  response: weightsSchema,
  handle: async ({ caller }) => caller.weights ?? DEFAULT_WEIGHTS,
});

const setWeights = controlEndpoint({
  method: "PUT",
  path: "/v1/routing/weights",
  permission: "routing.change",
  audit: { action: "routing.weigh", details: ({ body }) => body },
  status: 200,
  tag: "Routing",
  summary: "Set what the account's `hybrid` weighs",
  description: "The three must add up to 1; 0.33 each counts as thirds. Other strategies do not weigh.",
  faults: [],
  body: weightsSchema.superRefine((given, context) => {
    if (!areValidWeights(given)) context.addIssue({ code: "custom", path: ["cost"], message: WEIGHTS_SUM_MESSAGE });
  }),
  response: weightsSchema,
  async handle({ services, caller, body }) {
    const weights = normaliseWeights(body);
    await services.identity.accounts.change(caller.accountId, { weights });
    services.identity.keyring.invalidate();
    return weights;
  },
});

const routingTotalsFields = {
  cost: z.number().describe("Credits, of all requests together."),
  expected_latency_ms: z.number().describe("On average."),
  predicted_quality: z.number().describe("0 to 1, on average."),
};
const differenceSchema = z.object(routingTotalsFields).describe("Less what really happened.");
const queryShareSchema = z.coerce.number().min(0).max(1).optional();

const readReport = controlEndpoint({
  method: "GET",
  path: "/v1/routing/report",
  permission: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "What every strategy would have made of your last requests",
  description:
    "Of the last answered requests that left the model to the service, those that followed the account's strategy are ranked again under every strategy, by what was known when they were sent. Where there are more than some thousand in the days asked for, a sample of them is, drawn evenly: `sampled` says so. Calls nobody, charges nothing.",
  faults: [],
  query: z.object({
    last: z.coerce
      .number()
      .int()
      .min(1)
      .max(REQUESTS_MAX)
      .optional()
      .describe(`How many requests. Default: ${REQUESTS_DEFAULT}, where \`days\` is not given.`),
    days: z.coerce.number().int().min(1).max(90).optional().describe("Those of so many days, instead of `last`."),
    strategy: z.enum(STRATEGIES).optional().describe("This one alone. Default: all four."),
    cost: queryShareSchema.describe("With `speed` and `quality`: weights for `hybrid`. Default: the account's."),
    speed: queryShareSchema,
    quality: queryShareSchema,
  }),
  response: z.object({
    requests: z.number().describe("How many are compared."),
    own_strategy: z.number().describe("How many brought a strategy or preferences of their own: not compared."),
    sampled: z.boolean().describe("Not every request of these days was looked at; sums are of those that were."),
    one_in: z.number().describe("One in so many was; 1: all of them."),
    quality_floor: z.number().describe("What `cost-optimized` asks of a model's quality in this report."),
    from: z.string().nullable().describe("When the oldest of them arrived."),
    to: z.string().nullable(),
    weights: weightsSchema.describe("What `hybrid` weighs in this report."),
    actual: z.object({
      ...routingTotalsFields,
      measured_latency_ms: z.number().describe("What the requests really took, on average."),
    }),
    strategies: z.array(
      z.object({
        strategy: z.enum(STRATEGIES),
        ...routingTotalsFields,
        difference: differenceSchema,
        moved: z.number().describe("How many requests would have gone to another model."),
        examples: z.array(
          z.object({
            request_id: z.string(),
            created_at: z.string(),
            from: z.string().describe("provider/name"),
            to: z.string().describe("provider/name"),
            difference: differenceSchema,
          }),
        ),
      }),
    ),
  }),
  async handle({ services, caller, query }) {
    const weights = weightsFromQuery(query) ?? caller.weights ?? DEFAULT_WEIGHTS;
    const { oneIn, requests } = await findRoutedRequests(services, caller.accountId, query);
    const choices = readRoutedRecords(requests);
    const following = choices.filter(({ choice }) => choice.routing.chosen_by === "account");
    const prices = await services.providers.modelStore.pricesBy(priceVersionsIn(following));
    const past = following.map((recorded) => toPastRequest(recorded, prices));
    const compared = past.filter(({ candidates }) => candidates.length > 0);
    const strategies = query.strategy === undefined ? STRATEGIES : [query.strategy];
    const qualityFloor = caller.minQuality ?? services.config.routing.qualityFloor;
    const floorSetBy = caller.minQuality === undefined ? "service" : "account";
    const report = reportStrategies(compared, { weights, qualityFloor, floorSetBy }, strategies);
    const measured = following.reduce((sum, { record }) => sum + record.latency_ms, 0);
    return {
      requests: compared.length,
      own_strategy: choices.length - following.length,
      sampled: oneIn > 1,
      one_in: oneIn,
      quality_floor: qualityFloor,
      from: compared.at(-1)?.createdAt.toISOString() ?? null,
      to: compared[0]?.createdAt.toISOString() ?? null,
      weights,
      actual: {
        ...toRoutingTotals(report.actual),
        measured_latency_ms: Math.round(measured / Math.max(following.length, 1)),
      },
      strategies: report.strategies.map(toStrategyComparison),
    };
  },
});

/** The requests of a report: those of the last `days`, or the `last` ones. */
async function findRoutedRequests(
  services: Services,
  accountId: string,
  { last, days }: { readonly last?: number | undefined; readonly days?: number | undefined },
) {
  if (days === undefined) {
    return {
      oneIn: 1,
      requests: await services.usage.reader.routedRequests(accountId, last ?? REQUESTS_DEFAULT),
    };
  }
  if (last !== undefined) {
    throw new Fault("invalid_request", "`days`: give it or `last`, not both.", { param: "days" });
  }
  return services.usage.reader.sampleRoutedRequests(accountId, new Date(services.clock.now() - days * DAY_MS));
}

/** The weights in a query: all three or none. */
function weightsFromQuery({
  cost,
  speed,
  quality,
}: {
  readonly [Name in keyof StrategyWeights]?: number | undefined;
}): StrategyWeights | undefined {
  if (cost === undefined && speed === undefined && quality === undefined) return undefined;
  const given = { cost: cost ?? 0, speed: speed ?? 0, quality: quality ?? 0 };
  if (!areValidWeights(given))
    throw new Fault("invalid_request", `\`cost\`: ${WEIGHTS_SUM_MESSAGE}.`, { param: "cost" });
  return normaliseWeights(given);
}

function toRoutingTotals({ cost, latencyMs, quality }: RoutingTotals) {
  return {
    cost: toCredits(cost),
    expected_latency_ms: Math.round(latencyMs * 10) / 10,
    predicted_quality: Math.round(quality * 10_000) / 10_000,
  };
}

function toStrategyComparison({ strategy, difference, moved, examples, ...totals }: StrategyComparison) {
  return {
    strategy,
    ...toRoutingTotals(totals),
    difference: toRoutingTotals(difference),
    moved,
    examples: examples.map(toReroutedRequest),
  };
}

function toReroutedRequest({ requestId, createdAt, from, to, difference }: ReroutedRequest) {
  return {
    request_id: requestId,
    created_at: createdAt.toISOString(),
    from,
    to,
    difference: toRoutingTotals(difference),
  };
}

export const routingReportEndpoints: readonly Endpoint[] = [readWeights, setWeights, readReport];

/** The fields of a record's detail that a report needs. Records of earlier versions lack some of them. */
const recordedChoiceSchema = z.object({
  attempts: z.array(z.object({ model: z.string(), outcome: z.string() })),
  routing: z.object({
    chosen_by: z.enum(["account", "request"]),
    candidates: z.array(
      z.object({
        model: z.string(),
        predicted_quality: z.number(),
        lower_quality: z.number().optional(),
        evidence: z.number().default(0),
        expected_latency_ms: z.number(),
        estimated_cost: z.number(),
        price_version: z.string(),
        error_rate: z.number().default(0),
        wanted: z.boolean().default(false),
        tier: z.number().default(0),
      }),
    ),
  }),
});

type Choice = z.output<typeof recordedChoiceSchema>;

/** A readable record with its routing choice. */
interface RoutedRecord {
  readonly record: RoutedRequest;
  readonly choice: Choice;
}

/** The readable records; the others are skipped. */
function readRoutedRecords(records: readonly RoutedRequest[]): RoutedRecord[] {
  return records.flatMap((record) => {
    const read = recordedChoiceSchema.safeParse(JSON.parse(record.detail));
    return read.success ? [{ record, choice: read.data }] : [];
  });
}

/** The numeric price versions of all candidates. Built-in models have none. */
function priceVersionsIn(choices: readonly RoutedRecord[]): string[] {
  const versions = choices.flatMap(({ choice: { routing } }) =>
    routing.candidates.map((candidate) => candidate.price_version),
  );
  return [...new Set(versions)].filter((version) => /^[1-9]\d{0,17}$/.test(version));
}

/** A record in the report's form. Only candidates of the chosen model's tier could have been chosen instead of it. */
function toPastRequest(
  { record, choice: { attempts, routing } }: RoutedRecord,
  prices: ReadonlyMap<string, Price>,
): PastRequest {
  const usage = {
    inputTokens: Number(record.input_tokens),
    cachedInputTokens: Number(record.cached_input_tokens),
    cacheWriteTokens: Number(record.cache_write_tokens),
    outputTokens: Number(record.output_tokens),
    images: record.images ?? 0,
    audioMs: Number(record.audio_ms),
  };
  const model = `${record.provider}/${record.model}`;
  const tier = routing.candidates.find((candidate) => candidate.model === model)?.tier;
  const candidates = routing.candidates.flatMap((candidate): PastCandidate[] => {
    if (candidate.tier !== tier) return [];
    const estimate = fromCredits(candidate.estimated_cost) ?? 0n;
    const price = prices.get(candidate.price_version);
    const { predicted_quality: quality } = candidate;
    return [
      {
        model: candidate.model,
        estimate: Number(estimate),
        cost: price === undefined ? estimate : priceOf(price, usage),
        latencyMs: candidate.expected_latency_ms,
        quality,
        errorRate: candidate.error_rate,
        isWanted: candidate.wanted,
      },
    ];
  });
  const failed = attempts.flatMap(({ outcome, model: called }) =>
    outcome === "failed" || outcome === "cut-off" ? [called] : [],
  );
  return {
    id: record.id,
    createdAt: record.created_at,
    model,
    cost: record.cost,
    failed: new Set(failed),
    candidates,
  };
}
