import { fullNameOf } from "@trunkline/core/model.ts";
import { checkModel } from "@trunkline/providers/conformance/check-model.ts";
import { z } from "zod";
import type { PriceVersion } from "../../../store/models/price-versions.ts";
import {
  modelPatch,
  modelRegistration,
  modelState,
  modelTerms,
  pricing,
  pricingOf,
  termsOf,
  wholeTermsOf,
} from "../../requests/model.ts";
import { listPage, pageOf, pageQuery } from "../../responses/list-page.ts";
import { showModel, showModels } from "../../responses/registered-model.ts";
import { control, type Endpoint } from "../endpoint.ts";

const finding = z.object({
  check: z.string(),
  verdict: z.enum(["pass", "warn", "fail"]),
  message: z.string(),
});

const shown = z
  .object({
    ...modelTerms.omit({ credential: true }).shape,
    pricing: pricing.nullable().describe("null: it can't be read, and the model is not called."),
    id: z.string(),
    name: z.string(),
    provider: z.string(),
    state: modelState,
    declared: z.boolean().describe("Declared in the configuration file, and changed only there."),
    has_credential: z.boolean(),
    price_version: z.string().nullable(),
    created_at: z.string(),
    reconciliation: z
      .object({
        flagged: z.boolean(),
        flagged_days: z.int(),
        last_flagged_day: z.string().nullable(),
        last_reported_at: z.string().nullable(),
      })
      .describe("Where it stands with your own usage reports: the newest of each day counts."),
    health: z
      .object({
        available: z.boolean().describe("Whether it would be called now."),
        breaker: z
          .enum(["closed", "open", "half-open", "ramping"])
          .describe("ramping: it answered again, and gets a growing share of the calls."),
        calls: z.number(),
        error_rate: z.number().describe("0 to 1, of recent calls."),
        latency_ms: z.number().nullable(),
        latency_p95_ms: z.number().nullable().describe("Of the last 64 answers; null until there are 8."),
        first_part_ms: z.number().nullable(),
        first_part_p95_ms: z.number().nullable().describe("Of the last 64 answers; null until there are 8."),
        tokens_per_second: z.number().nullable(),
        in_flight: z.int().describe("Calls of this instance that run now."),
        room: z
          .int()
          .nullable()
          .describe("Calls that your endpoint said it still takes until its limit is reset."),
        outage: z
          .object({
            why: z.enum(["credential", "funds"]),
            reason: z.string(),
            since: z.string(),
            next_try_at: z.string(),
          })
          .nullable()
          .describe(
            "Your endpoint refuses our credential, or says that nothing is paid for. It is tried only rarely until you change the model or it passes its check.",
          ),
      })
      .describe("From the calls of this instance, and of the others where it made none of late."),
    last_check: z
      .object({ passed: z.boolean(), checked_at: z.string(), findings: z.array(finding) })
      .nullable()
      .describe("What the last conformance check saw."),
  })
  .loose();

const registerModel = control({
  method: "POST",
  path: "/v1/provider/models",
  power: "provider.change",
  deed: { action: "model.register" },
  status: 201,
  tag: "Providers",
  summary: "Register a model",
  description:
    "The endpoint must be `https` on a public address; a key with the scope `admin` may register `http` and private addresses. An operator's model is routed at once; another account's must pass its conformance check first.",
  faults: ["conflict"],
  body: modelRegistration,
  answer: shown,
  handle: async ({ house, caller, body }) =>
    showModel(house, await house.models.register(caller, body.name, wholeTermsOf(body))),
});

const listOwn = control({
  method: "GET",
  path: "/v1/provider/models",
  power: "provider.read",
  status: 200,
  tag: "Providers",
  summary: "List the models you registered",
  faults: [],
  answer: z.object({ data: z.array(shown), next_cursor: z.null() }),
  handle: async ({ house, caller }) => ({
    data: await showModels(house, house.models.list(caller)),
    next_cursor: null,
  }),
});

const readOwn = control({
  method: "GET",
  path: "/v1/provider/models/:name",
  power: "provider.read",
  status: 200,
  tag: "Providers",
  summary: "Read a model you registered",
  faults: ["not_found"],
  answer: shown,
  handle: async ({ house, caller, params }) => showModel(house, house.models.find(caller, params.name ?? "")),
});

const changeOwn = control({
  method: "PATCH",
  path: "/v1/provider/models/:name",
  power: "provider.change",
  deed: { action: "model.change" },
  status: 200,
  tag: "Providers",
  summary: "Change a model you registered",
  description:
    "What is not given stays. A new price is a new version; running requests keep the one they were quoted.",
  faults: ["not_found", "conflict"],
  body: modelPatch,
  answer: shown,
  async handle({ house, caller, params, body }) {
    const model = await house.models.change(caller, params.name ?? "", termsOf(body), body.state);
    house.health.mended(model.id);
    return showModel(house, model);
  },
});

const listPrices = control({
  method: "GET",
  path: "/v1/provider/models/:name/prices",
  power: "provider.read",
  status: 200,
  tag: "Providers",
  summary: "Every price a model of yours has had, newest first",
  description: "A request is charged by the version it was quoted; its record names it as `price_version`.",
  faults: ["not_found"],
  query: pageQuery,
  answer: pageOf(
    z.object({
      version: z.string(),
      since: z.string().describe("When it became the price."),
      pricing: pricing.nullable().describe("null: it can't be read."),
    }),
  ),
  handle: async ({ house, caller, params, query }) => {
    const { id } = house.models.find(caller, params.name ?? "");
    return listPage(
      query,
      (limit, cursor) => house.modelStore.pricesOf(id, limit, cursor),
      priceToWire,
      isVersion,
    );
  },
});

/** A number that the store may have given to a version. */
function isVersion(text: string): boolean {
  return /^[1-9]\d{0,17}$/.test(text);
}

function priceToWire({ id, price, since }: PriceVersion) {
  return {
    version: id,
    since: since.toISOString(),
    pricing: price === undefined ? null : pricingOf(price),
  };
}

const withdraw = control({
  method: "DELETE",
  path: "/v1/provider/models/:name",
  power: "provider.change",
  deed: { action: "model.withdraw" },
  status: 204,
  tag: "Providers",
  summary: "Withdraw a model",
  faults: ["not_found", "conflict"],
  answer: z.null(),
  handle: ({ house, caller, params }) => house.models.withdraw(caller, params.name ?? ""),
});

const checkOwn = control({
  method: "POST",
  path: "/v1/provider/models/:name/check",
  power: "provider.change",
  deed: { action: "model.check" },
  status: 200,
  tag: "Providers",
  summary: "Run the conformance check",
  description:
    "Calls the endpoint as a client would and says, finding by finding, what it saw. A pending model that passes is routed.",
  faults: ["not_found"],
  answer: z.object({
    passed: z.boolean(),
    state: modelState,
    checked_at: z.string(),
    findings: z.array(finding),
  }),
  async handle({ house, caller, params, signal }) {
    const model = house.models.find(caller, params.name ?? "");
    const { passed, findings } = await checkModel(house, model, signal);
    const checkedAt = new Date(house.clock.now());
    await house.modelStore.keepCheck(model.id, { passed, findings, checkedAt });
    if (passed) await house.models.passedCheck(model);
    if (passed) house.health.proved(model.id);
    const { state } = house.models.find(caller, fullNameOf(model));
    return { passed, state, checked_at: checkedAt.toISOString(), findings };
  },
});

export const providerEndpoints: readonly Endpoint[] = [
  registerModel,
  listOwn,
  readOwn,
  changeOwn,
  listPrices,
  withdraw,
  checkOwn,
];
