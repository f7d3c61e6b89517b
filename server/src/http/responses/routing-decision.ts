import { STRATEGIES } from "@trunkline/core/inference.ts";
import { ATTEMPT_OUTCOMES } from "@trunkline/core/provider-failure.ts";
import { MEASURES, winningMarginOf } from "@trunkline/core/route.ts";
import { z } from "zod";

const promptFeaturesSchema = z.object({
  domain: z.string().describe("What the request was taken for."),
  family: z.string().describe("The family of tasks that the domain is of."),
  confidence: z.number().describe("0 to 1: how surely it is that domain."),
  difficulty: z.number().describe("0 to 1: the chance that a middling model does not satisfy."),
  shares: z
    .array(z.object({ domain: z.string(), share: z.number() }))
    .describe("The domains that it may be of, the likeliest first."),
});

const explorationSchema = z.object({ propensity: z.number(), instead_of: z.string() });

/** What a candidate is ranked by. */
const candidateFields = {
  predicted_quality: z.number().describe("The chance that its answer satisfies, 0 to 1."),
  lower_quality: z.number().describe("The same at its lower bound."),
  evidence: z.number().describe("By how many outcomes the prediction is backed; 0: by the provider's word alone."),
  clears_floor: z.boolean().describe("Whether `cost-optimized` chooses it by its cost."),
  expected_latency_ms: z
    .number()
    .describe("`queue_ms` + `first_token_ms` + `expected_output_tokens` at `tokens_per_second`."),
  queue_ms: z.number().describe("What the calls that are under way there add."),
  first_token_ms: z.number(),
  tokens_per_second: z.number().nullable().describe("null: its answers come in one piece."),
  expected_output_tokens: z.number(),
  estimated_cost: z.number(),
  worst_case_cost: z.number(),
  state: z
    .enum(["closed", "open", "half-open", "ramping"])
    .describe("Of its circuit breaker; `closed` lets calls through, `ramping` a growing share of them."),
  error_rate: z.number().describe("Of its recent calls, 0 to 1."),
  in_flight: z.number().describe("How many calls are under way there."),
  score: z.number().describe("What the strategy compared, in `measure`, with the calls that an answer takes."),
};

/** How the choice was made, besides the candidates. */
const choiceFields = {
  quality_floor: z
    .number()
    .describe(
      "What `cost-optimized` asks of a model's quality here: the floor, or less where the best does not reach it.",
    ),
  reading: promptFeaturesSchema,
  measure: z
    .enum(MEASURES)
    .describe(
      "What the strategy compares: credits or milliseconds, the less the better; quality, or worth in credits.",
    ),
  runner_up: z.string().nullable().describe("Who came next of those that competed."),
  margin: z
    .number()
    .nullable()
    .describe(
      "By how much the first was better, in `measure`; below zero where something else decided, such as the floor.",
    ),
  why: z.string().describe("Why the first came before the second, in one sentence with figures."),
};

/** How the session and exploration influenced the choice. */
const sessionAndChanceFields = {
  sticky_to: z.string().optional().describe("The model that the request's session stayed with."),
  propensity: z
    .number()
    .optional()
    .describe("How likely the first place was to go to whom it went; left out where nothing was left to chance."),
  explored: explorationSchema.optional().describe("The first was tried in the place of its near-equal."),
};

const cascadeSchema = z
  .boolean()
  .optional()
  .describe("true: the candidates are the steps of a cascade, the cheapest first.");

const leftOutSchema = z.array(z.object({ model: z.string(), reason: z.string() }));

/** The response of `POST /v1/routing/preview`. */
export const routingPreviewSchema = z.object({
  strategy: z.enum(STRATEGIES),
  cascade: cascadeSchema,
  task: z.string(),
  ...choiceFields,
  explored: z
    .union([z.literal(false), explorationSchema])
    .describe("Whether the first is tried in the place of its near-equal; a preview leaves nothing to chance."),
  sticky_to: z.string().nullable().describe("The model that the request's session stays with."),
  candidates: z.array(z.object({ model: z.string(), ...candidateFields, reasons: z.array(z.string()) })),
  left_out: leftOutSchema,
});

const { predicted_quality, expected_latency_ms, estimated_cost, worst_case_cost, error_rate, ...laterCandidateFields } =
  candidateFields;

/** The choice in a request's record. Records of earlier versions lack the optional fields. */
export const routingResponseSchema = z.object({
  strategy: z.string(),
  chosen_by: z
    .enum(["account", "request", "name"])
    .optional()
    .describe("Whose strategy it was: the account's or the request's; or the client named the model."),
  cascade: cascadeSchema,
  weights: z.record(z.string(), z.number()).optional().describe("What `hybrid` weighed."),
  task: z.string(),
  ...z.object(choiceFields).partial().shape,
  ...sessionAndChanceFields,
  candidates: z
    .array(
      z.object({
        model: z.string(),
        place: z.number().describe("1 is tried first."),
        chosen: z.boolean().describe("It gave the answer, or was the last to be tried."),
        outcome: z
          .enum([...ATTEMPT_OUTCOMES, "not tried"])
          .describe("What became of it; `not tried` where one before it answered, or it could not be called."),
        predicted_quality,
        expected_latency_ms,
        estimated_cost,
        worst_case_cost,
        price_version: z.string().optional().describe("Of the price that it was quoted at."),
        error_rate: error_rate.optional().describe("Of its recent calls, 0 to 1; left out where none failed."),
        ...z.object(laterCandidateFields).partial().shape,
        unlearnt_quality: z.number().optional().describe("As predicted without what was learnt from outcomes."),
        reasons: z.array(z.string()),
      }),
    )
    .describe("Up to twelve: the first ones, the one that answered, and the cheapest, fastest and best."),
  candidates_total: z.number(),
  left_out: leftOutSchema.describe("The first twelve."),
  left_out_total: z.number(),
});

/** The choice as a record stores it. Older records lack some of these fields. */
export const storedRoutingSchema = z.object({
  strategy: z.string(),
  cascade: z.boolean().optional(),
  chosen_by: z.string().optional(),
  weights: z.record(z.string(), z.number()).optional(),
  quality_floor: z.number().optional(),
  why: z.string().optional(),
  task: z.string(),
  reading: promptFeaturesSchema
    .extend({ shares: z.array(z.tuple([z.string(), z.number()])) })
    .optional()
    .catch(undefined),
  candidates: z.array(
    routingResponseSchema.shape.candidates.element
      .partial()
      .extend({ below_floor: z.boolean().optional(), tier: z.number().optional() })
      .loose(),
  ),
  candidates_total: z.number().optional(),
  ...sessionAndChanceFields,
  left_out: leftOutSchema,
  left_out_total: z.number().optional(),
});

type StoredRouting = z.output<typeof storedRoutingSchema>;
type StoredCandidate = StoredRouting["candidates"][number];

export function toRoutingResponse(
  { quality_floor, reading, ...routing }: StoredRouting,
  attempts: readonly { readonly model?: string | undefined; readonly outcome?: string | undefined }[],
  model: string | null,
) {
  const isExplained = quality_floor !== undefined;
  return {
    ...routing,
    ...(reading === undefined
      ? {}
      : { reading: { ...reading, shares: reading.shares.map(([domain, share]) => ({ domain, share })) } }),
    ...(isExplained ? { quality_floor, ...runnerUpFields(routing) } : {}),
    candidates: routing.candidates.map((candidate, index) => ({
      ...(isExplained ? withDefaults(candidate) : candidate),
      place: candidate.place ?? index + 1,
      chosen: candidate.model === model,
      outcome: attempts.findLast((attempt) => attempt.model === candidate.model)?.outcome ?? "not tried",
    })),
    candidates_total: routing.candidates_total ?? routing.candidates.length,
    left_out_total: routing.left_out_total ?? routing.left_out.length,
  };
}

/** A candidate with the default values that its record leaves out. */
function withDefaults({ below_floor, ...candidate }: StoredCandidate) {
  return {
    evidence: 0,
    queue_ms: 0,
    tokens_per_second: null,
    state: "closed",
    in_flight: 0,
    ...candidate,
    clears_floor: below_floor !== true,
  };
}

/** The runner-up. Empty for a record whose strategy no longer exists. */
function runnerUpFields({ strategy, candidates }: Pick<StoredRouting, "strategy" | "candidates">) {
  const known = STRATEGIES.find((name) => name === strategy);
  if (known === undefined) return {};
  const { measure, runnerUp, margin } = winningMarginOf(
    known,
    candidates.map(({ model = "", tier = 0, score = 0 }) => ({ model, tier, score })),
  );
  return { measure, runner_up: runnerUp ?? null, margin: margin ?? null };
}
