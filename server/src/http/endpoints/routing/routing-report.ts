import { Fault } from "@trunkline/core/fault.ts";
import { STRATEGIES } from "@trunkline/core/inference.ts";
import { toCredits } from "@trunkline/core/money.ts";
import { areWeights, DEFAULT_WEIGHTS, settleWeights, type Weights } from "@trunkline/core/weights.ts";
import {
  type Effect,
  type Move,
  reportStrategies,
  type StrategyEffect,
} from "@trunkline/router/report/strategy-report.ts";
import { z } from "zod";
import type { House } from "../../../app/services.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { choicesIn, pastRequestOf, versionsIn } from "./past-requests.ts";

const MOST_REQUESTS = 1_000;
const USUAL_REQUESTS = 200;
const DAY_MS = 24 * 60 * 60 * 1000;

const share = z.number().min(0).max(1);
const weights = z.object({ cost: share, speed: share, quality: share });
const ADD_UP = "and the other two must add up to 1";

const readWeights = control({
  method: "GET",
  path: "/v1/routing/weights",
  power: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "What the account's `hybrid` weighs",
  description: "How much cost, speed and quality count. Together they are 1.",
  faults: [],
  answer: weights,
  handle: async ({ caller }) => caller.weights ?? DEFAULT_WEIGHTS,
});

const setWeights = control({
  method: "PUT",
  path: "/v1/routing/weights",
  power: "routing.change",
  deed: { action: "routing.weigh", details: ({ body }) => body },
  status: 200,
  tag: "Routing",
  summary: "Set what the account's `hybrid` weighs",
  description: "The three must add up to 1; 0.33 each counts as thirds. Other strategies do not weigh.",
  faults: [],
  body: weights.superRefine((given, context) => {
    if (!areWeights(given)) context.addIssue({ code: "custom", path: ["cost"], message: ADD_UP });
  }),
  answer: weights,
  async handle({ house, caller, body }) {
    const settled = settleWeights(body);
    await house.accounts.change(caller.accountId, { weights: settled });
    house.keyring.forget();
    return settled;
  },
});

const effect = {
  cost: z.number().describe("Credits, of all requests together."),
  expected_latency_ms: z.number().describe("On average."),
  predicted_quality: z.number().describe("0 to 1, on average."),
};
const difference = z.object(effect).describe("Less what really happened.");
const queryShare = z.coerce.number().min(0).max(1).optional();

const readReport = control({
  method: "GET",
  path: "/v1/routing/report",
  power: "routing.read",
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
      .max(MOST_REQUESTS)
      .optional()
      .describe(`How many requests. Default: ${USUAL_REQUESTS}, where \`days\` is not given.`),
    days: z.coerce
      .number()
      .int()
      .min(1)
      .max(90)
      .optional()
      .describe("Those of so many days, instead of `last`."),
    strategy: z.enum(STRATEGIES).optional().describe("This one alone. Default: all four."),
    cost: queryShare.describe("With `speed` and `quality`: weights for `hybrid`. Default: the account's."),
    speed: queryShare,
    quality: queryShare,
  }),
  answer: z.object({
    requests: z.number().describe("How many are compared."),
    own_strategy: z
      .number()
      .describe("How many brought a strategy or preferences of their own: not compared."),
    sampled: z
      .boolean()
      .describe("Not every request of these days was looked at; sums are of those that were."),
    one_in: z.number().describe("One in so many was; 1: all of them."),
    quality_floor: z.number().describe("What `cost-optimized` asks of a model's quality in this report."),
    from: z.string().nullable().describe("When the oldest of them arrived."),
    to: z.string().nullable(),
    weights: weights.describe("What `hybrid` weighs in this report."),
    actual: z.object({
      ...effect,
      measured_latency_ms: z.number().describe("What the requests really took, on average."),
    }),
    strategies: z.array(
      z.object({
        strategy: z.enum(STRATEGIES),
        ...effect,
        difference,
        moved: z.number().describe("How many requests would have gone to another model."),
        examples: z.array(
          z.object({
            request_id: z.string(),
            created_at: z.string(),
            from: z.string().describe("provider/name"),
            to: z.string().describe("provider/name"),
            difference,
          }),
        ),
      }),
    ),
  }),
  async handle({ house, caller, query }) {
    const weighed = weightsIn(query) ?? caller.weights ?? DEFAULT_WEIGHTS;
    const { oneIn, requests } = await lookBack(house, caller.accountId, query);
    const choices = choicesIn(requests);
    const following = choices.filter(({ choice }) => choice.routing.chosen_by === "account");
    const prices = await house.modelStore.pricesBy(versionsIn(following));
    const past = following.map((recorded) => pastRequestOf(recorded, prices));
    const compared = past.filter(({ candidates }) => candidates.length > 0);
    const strategies = query.strategy === undefined ? STRATEGIES : [query.strategy];
    const qualityFloor = caller.minQuality ?? house.config.routing.qualityFloor;
    const report = reportStrategies(compared, { weights: weighed, qualityFloor }, strategies);
    const measured = following.reduce((sum, { record }) => sum + record.latency_ms, 0);
    return {
      requests: compared.length,
      own_strategy: choices.length - following.length,
      sampled: oneIn > 1,
      one_in: oneIn,
      quality_floor: qualityFloor,
      from: compared.at(-1)?.createdAt.toISOString() ?? null,
      to: compared[0]?.createdAt.toISOString() ?? null,
      weights: weighed,
      actual: {
        ...effectToWire(report.actual),
        measured_latency_ms: Math.round(measured / Math.max(following.length, 1)),
      },
      strategies: report.strategies.map(strategyToWire),
    };
  },
});

/** The requests that a report is on: those of some days, or the last ones. */
async function lookBack(
  house: House,
  accountId: string,
  { last, days }: { readonly last?: number | undefined; readonly days?: number | undefined },
) {
  if (days === undefined) {
    return { oneIn: 1, requests: await house.records.routed(accountId, last ?? USUAL_REQUESTS) };
  }
  if (last !== undefined) {
    throw new Fault("invalid_request", "`days`: give it or `last`, not both.", { param: "days" });
  }
  return house.records.routedSince(accountId, new Date(house.clock.now() - days * DAY_MS));
}

/** The weights in a query: all three or none. */
function weightsIn({
  cost,
  speed,
  quality,
}: {
  readonly [Name in keyof Weights]?: number | undefined;
}): Weights | undefined {
  if (cost === undefined && speed === undefined && quality === undefined) return undefined;
  const given = { cost: cost ?? 0, speed: speed ?? 0, quality: quality ?? 0 };
  if (!areWeights(given)) throw new Fault("invalid_request", `\`cost\`: ${ADD_UP}.`, { param: "cost" });
  return settleWeights(given);
}

function effectToWire({ cost, latencyMs, quality }: Effect) {
  return {
    cost: toCredits(cost),
    expected_latency_ms: Math.round(latencyMs * 10) / 10,
    predicted_quality: Math.round(quality * 10_000) / 10_000,
  };
}

function strategyToWire({ strategy, difference: apart, moved, examples, ...made }: StrategyEffect) {
  return {
    strategy,
    ...effectToWire(made),
    difference: effectToWire(apart),
    moved,
    examples: examples.map(moveToWire),
  };
}

function moveToWire({ requestId, createdAt, from, to, difference: apart }: Move) {
  return {
    request_id: requestId,
    created_at: createdAt.toISOString(),
    from,
    to,
    difference: effectToWire(apart),
  };
}

export const routingReportEndpoints: readonly Endpoint[] = [readWeights, setWeights, readReport];
