import type { Caller } from "@trunkline/core/caller.ts";
import { callerForPreset } from "@trunkline/core/caller-presets.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, newId, timeOfId } from "@trunkline/core/id.ts";
import { STRATEGIES } from "@trunkline/core/inference.ts";
import { withPreset } from "@trunkline/core/preset.ts";
import { LEARNING_MODES } from "@trunkline/core/service-settings.ts";
import { OUTCOME_SOURCES } from "@trunkline/router/learn/learning-store.ts";
import { previewRoute } from "@trunkline/router/report/route-preview.ts";
import { z } from "zod";
import type { Services } from "../../../app/services.ts";
import { planRoute } from "../../../pipeline/plan-route.ts";
import type { OutcomeFilter, OutcomeRow } from "../../../store/models/learning.ts";
import { generateBody, readInference } from "../../requests/read-inference.ts";
import { toUsageRange, usageRangeQuery } from "../../requests/usage-range.ts";
import {
  invalidCursorFault,
  pageQuery,
  pageResponseSchema,
  toCsv,
  toPage,
  wantsCsv,
} from "../../responses/list-response.ts";
import { routingPreviewSchema } from "../../responses/routing-decision.ts";
import { controlEndpoint, type Endpoint, Reply } from "../endpoint.ts";

const strategySchema = z.object({ strategy: z.enum(STRATEGIES) });

const readRouting = controlEndpoint({
  method: "GET",
  path: "/v1/routing",
  permission: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "The account's routing strategy",
  faults: [],
  response: strategySchema,
  handle: async ({ services, caller }) => ({
    strategy: caller.strategy ?? services.settings.current.strategy,
  }),
});

const setRouting = controlEndpoint({
  method: "PUT",
  path: "/v1/routing",
  permission: "routing.change",
  audit: { action: "routing.change", details: ({ body }) => body },
  status: 200,
  tag: "Routing",
  summary: "Set the account's routing strategy",
  faults: [],
  body: strategySchema,
  response: strategySchema,
  async handle({ services, caller, body }) {
    await services.identity.accounts.change(caller.accountId, { strategy: body.strategy });
    services.identity.keyring.invalidate();
    return { strategy: body.strategy };
  },
});

const previewRouting = controlEndpoint({
  method: "POST",
  path: "/v1/routing/preview",
  permission: "routing.read",
  audit: null,
  status: 200,
  tag: "Routing",
  summary: "See how a request would be routed, without sending it",
  faults: ["model_not_found", "no_model_available", "insufficient_balance", "budget_exceeded"],
  body: generateBody.schema.loose(),
  skipBodyValidation: true,
  response: routingPreviewSchema,
  async handle({ services, caller, body }) {
    const inference = withPreset(caller.presets, readInference(body, generateBody));
    const now = services.clock.now();
    const planContext = { requestId: newId(now), receivedAt: new Date(now), random: () => 0, explores: false };
    return previewRoute(await planRoute(services, callerForPreset(caller, inference), inference, planContext));
  },
});

export const routingEndpoints: readonly Endpoint[] = [readRouting, setRouting, previewRouting];

const qualityFloorSchema = z.object({
  min_quality: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe("0 to 1; null: what the service asks, `routing.quality_floor`."),
});

const readQualityFloor = controlEndpoint({
  method: "GET",
  path: "/v1/routing/floor",
  permission: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "What the account's `cost-optimized` asks of a model's quality",
  description:
    "The cheapest model is taken of those whose predicted quality clears this. The others come after them, the best first, so that no request fails for it.",
  faults: [],
  response: qualityFloorSchema,
  handle: async ({ caller }) => ({ min_quality: caller.minQuality ?? null }),
});

const setQualityFloor = controlEndpoint({
  method: "PUT",
  path: "/v1/routing/floor",
  permission: "routing.change",
  audit: { action: "routing.floor", details: ({ body }) => body },
  status: 200,
  tag: "Routing",
  summary: "Set what the account's `cost-optimized` asks of a model's quality",
  description: "A request's own `min_quality` comes before it. null leaves it to the service again.",
  faults: [],
  body: qualityFloorSchema,
  response: qualityFloorSchema,
  async handle({ services, caller, body }) {
    await services.identity.accounts.change(caller.accountId, { minQuality: body.min_quality ?? undefined });
    services.identity.keyring.invalidate();
    return body;
  },
});

export const qualityFloorEndpoints: readonly Endpoint[] = [readQualityFloor, setQualityFloor];

const learningSchema = z
  .enum(LEARNING_MODES)
  .describe("`frozen`: the account's outcomes change nothing, and no model is tried out on its requests.");
const learningResponseSchema = z.object({
  learning: learningSchema,
  service: z.enum(LEARNING_MODES).describe("The operator's choice: where it is `frozen`, it holds for all."),
});

const readLearning = controlEndpoint({
  method: "GET",
  path: "/v1/routing/learning",
  permission: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "Whether the router learns from the account's outcomes",
  faults: [],
  response: learningResponseSchema,
  handle: async ({ services, caller }) => toLearningResponse(services, caller.learning),
});

const setLearning = controlEndpoint({
  method: "PUT",
  path: "/v1/routing/learning",
  permission: "routing.change",
  audit: { action: "routing.learning", details: ({ body }) => body },
  status: 200,
  tag: "Routing",
  summary: "Let the router learn from the account's outcomes, or freeze what it knows",
  description: "What was learnt before still counts. Feedback is kept and shown all the same; it just teaches nothing.",
  faults: [],
  body: z.object({ learning: learningSchema }),
  response: learningResponseSchema,
  async handle({ services, caller, body }) {
    await services.identity.accounts.change(caller.accountId, { learning: body.learning });
    services.identity.keyring.invalidate();
    return toLearningResponse(services, body.learning);
  },
});

function toLearningResponse({ settings: { current } }: Services, own: Caller["learning"]) {
  return { learning: own ?? "on", service: current.learning };
}

const outcomeSchema = z.object({
  request_id: z.string(),
  created_at: z.string().describe("When the request arrived."),
  model: z.string().describe("provider/name"),
  domain: z.string().describe("The likeliest domain of the request."),
  propensity: z.number().describe("How likely the choice of this model was; 1 where nothing was tried out."),
  predicted_quality: z.number().describe("What was predicted when the model was chosen."),
  outcome: z.number().describe("0 to 1."),
  weight: z.number(),
  source: z
    .enum(OUTCOME_SOURCES)
    .describe(
      "`feedback`; `check`: the form that was asked for; `flaw`: the answer was empty or refused; `regeneration`: the same was asked again.",
    ),
  noted_at: z.string(),
});

const OUTCOME_COLUMNS = Object.keys(outcomeSchema.shape);
/** As many rows as a spreadsheet opens easily. */
const CSV_ROWS_MAX = 50_000;

const listOutcomes = controlEndpoint({
  method: "GET",
  path: "/v1/routing/outcomes",
  permission: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "Every outcome that the router learnt from, newest request first",
  description:
    "Of the last 90 days. The range is that of the requests. CSV with `Accept: text/csv`, of the whole range at once.",
  faults: [],
  query: pageQuery.extend(usageRangeQuery.shape),
  alternativeContentTypes: ["text/csv"],
  response: pageResponseSchema(outcomeSchema),
  async handle({ services, caller, query, request }) {
    const range = toUsageRange(query, caller);
    if (!wantsCsv(request)) {
      const page = { ...range, before: parseOutcomeCursor(query.cursor), limit: query.limit + 1 };
      const rows = await services.routing.feedbackStore.listOutcomes(caller.accountId, page);
      return toPage(rows, query.limit, toOutcomeResponse, outcomeCursor);
    }
    const whole = { ...range, before: undefined, limit: CSV_ROWS_MAX + 1 };
    const rows = await services.routing.feedbackStore.listOutcomes(caller.accountId, whole);
    if (rows.length > CSV_ROWS_MAX) {
      throw new Fault(
        "invalid_request",
        `These are more than ${CSV_ROWS_MAX} lines. Narrow the range with \`from\` and \`to\`.`,
        { param: "from" },
      );
    }
    return new Reply(200, toCsv(OUTCOME_COLUMNS, rows.map(toOutcomeResponse)), "text/csv; charset=utf-8");
  },
});

/** One request may have several outcomes, so a cursor holds every field that distinguishes them. */
function outcomeCursor({ request_id: requestId, source, model }: OutcomeRow): string {
  return `${requestId}.${source}.${model}`;
}

function parseOutcomeCursor(cursor: string | undefined): OutcomeFilter["before"] {
  if (cursor === undefined) return undefined;
  const [requestId = "", source = "", ...model] = cursor.split(".");
  const isValid = isId(requestId) && OUTCOME_SOURCES.some((known) => known === source) && !cursor.includes("\0");
  if (!isValid) throw invalidCursorFault();
  return { request_id: requestId, source, model: model.join(".") };
}

function toOutcomeResponse({ noted_at: notedAt, ...row }: OutcomeRow) {
  return {
    ...row,
    created_at: new Date(timeOfId(row.request_id)).toISOString(),
    noted_at: notedAt.toISOString(),
  };
}

export const routingLearningEndpoints: readonly Endpoint[] = [readLearning, setLearning, listOutcomes];
