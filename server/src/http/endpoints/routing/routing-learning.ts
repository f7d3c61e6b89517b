import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
import { isId, timeOfId } from "@trunkline/core/id.ts";
import { LEARNING } from "@trunkline/core/service-settings.ts";
import { OUTCOME_SOURCES } from "@trunkline/router/learn/learning-store.ts";
import { z } from "zod";
import type { House } from "../../../app/services.ts";
import type { OutcomeFilter, OutcomeRow } from "../../../store/models/feedback.ts";
import { rangeOf, rangeQuery } from "../../requests/usage-range.ts";
import { csvOf, wantsCsv } from "../../responses/csv.ts";
import { cutPage, pageOf, pageQuery, refuseCursor } from "../../responses/list-page.ts";
import { control, type Endpoint, Reply } from "../endpoint.ts";

const learning = z
  .enum(LEARNING)
  .describe("`frozen`: the account's outcomes change nothing, and no model is tried out on its requests.");
const shown = z.object({
  learning,
  service: z.enum(LEARNING).describe("The operator's choice: where it is `frozen`, it holds for all."),
});

const readLearning = control({
  method: "GET",
  path: "/v1/routing/learning",
  power: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "Whether the router learns from the account's outcomes",
  faults: [],
  answer: shown,
  handle: async ({ house, caller }) => learningToWire(house, caller.learning),
});

const setLearning = control({
  method: "PUT",
  path: "/v1/routing/learning",
  power: "routing.change",
  deed: { action: "routing.learning", details: ({ body }) => body },
  status: 200,
  tag: "Routing",
  summary: "Let the router learn from the account's outcomes, or freeze what it knows",
  description:
    "What was learnt before still counts. Feedback is kept and shown all the same; it just teaches nothing.",
  faults: [],
  body: z.object({ learning }),
  answer: shown,
  async handle({ house, caller, body }) {
    await house.accounts.change(caller.accountId, { learning: body.learning });
    house.keyring.forget();
    return learningToWire(house, body.learning);
  },
});

function learningToWire({ settings: { current } }: House, own: Caller["learning"]) {
  return { learning: own ?? "on", service: current.learning };
}

const outcome = z.object({
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

const COLUMNS = Object.keys(outcome.shape);
/** As many as a spreadsheet opens with ease. */
const CSV_LINES = 50_000;

const listOutcomes = control({
  method: "GET",
  path: "/v1/routing/outcomes",
  power: "routing.read",
  status: 200,
  tag: "Routing",
  summary: "Every outcome that the router learnt from, newest request first",
  description:
    "Of the last 90 days. The range is that of the requests. CSV with `Accept: text/csv`, of the whole range at once.",
  faults: [],
  query: pageQuery.extend(rangeQuery.shape),
  alternatives: ["text/csv"],
  answer: pageOf(outcome),
  async handle({ house, caller, query, request }) {
    const range = rangeOf(query, caller);
    if (!wantsCsv(request)) {
      const page = { ...range, before: placeOf(query.cursor), limit: query.limit + 1 };
      const rows = await house.outcomes.outcomes(caller.accountId, page);
      return cutPage(rows, query.limit, outcomeToWire, cursorOf);
    }
    const whole = { ...range, before: undefined, limit: CSV_LINES + 1 };
    const rows = await house.outcomes.outcomes(caller.accountId, whole);
    if (rows.length > CSV_LINES) {
      throw new Fault(
        "invalid_request",
        `These are more than ${CSV_LINES} lines. Narrow the range with \`from\` and \`to\`.`,
        { param: "from" },
      );
    }
    return new Reply(200, csvOf(COLUMNS, rows.map(outcomeToWire)), "text/csv; charset=utf-8");
  },
});

/** One request may have several outcomes: a place is all of what tells them apart. */
function cursorOf({ request_id: requestId, source, model }: OutcomeRow): string {
  return `${requestId}.${source}.${model}`;
}

function placeOf(cursor: string | undefined): OutcomeFilter["before"] {
  if (cursor === undefined) return undefined;
  const [requestId = "", source = "", ...model] = cursor.split(".");
  const isPlace =
    isId(requestId) && OUTCOME_SOURCES.some((known) => known === source) && !cursor.includes("\0");
  if (!isPlace) throw refuseCursor();
  return { request_id: requestId, source, model: model.join(".") };
}

function outcomeToWire({ noted_at: notedAt, ...row }: OutcomeRow) {
  return {
    ...row,
    created_at: new Date(timeOfId(row.request_id)).toISOString(),
    noted_at: notedAt.toISOString(),
  };
}

export const routingLearningEndpoints: readonly Endpoint[] = [readLearning, setLearning, listOutcomes];
