import { z } from "zod";
import type { House } from "../../house.ts";
import { checkConformance } from "../../providers/conformance.ts";
import type { RegisteredModel } from "../../providers/model-store.ts";
import type { PriceVersion } from "../../store/price-versions.ts";
import type { Standing } from "../../store/reconciled-usage.ts";
import {
  modelPatch,
  modelRegistration,
  modelState,
  modelTerms,
  pricing,
  pricingOf,
  termsOf,
  wholeTermsOf,
} from "../../wire/model.ts";
import { control, type Endpoint } from "../endpoint.ts";
import { listPage, pageOf, pageQuery } from "../list-page.ts";

const shown = z
  .object({
    ...modelTerms.omit({ credential: true }).shape,
    pricing: pricing.nullable().describe("null: it can't be read, and the model is not called."),
    id: z.string(),
    name: z.string(),
    provider: z.string(),
    state: modelState,
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
    show(house, await house.models.register(caller, body.name, wholeTermsOf(body))),
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
    data: await showAll(house, house.models.list(caller)),
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
  handle: async ({ house, caller, params }) => show(house, house.models.find(caller, params.name ?? "")),
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
  handle: async ({ house, caller, params, body }) =>
    show(house, await house.models.change(caller, params.name ?? "", termsOf(body), body.state)),
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
    findings: z.array(
      z.object({ check: z.string(), verdict: z.enum(["pass", "warn", "fail"]), message: z.string() }),
    ),
  }),
  async handle({ house, caller, params, signal }) {
    const model = house.models.find(caller, params.name ?? "");
    const { passed, findings } = await checkConformance(house.dialer, model, signal);
    if (passed) await house.models.passedCheck(model);
    return { passed, state: house.models.find(caller, model.name).state, findings };
  },
});

async function show(house: House, model: RegisteredModel) {
  const [shownModel] = await showAll(house, [model]);
  return shownModel;
}

async function showAll(house: House, models: readonly RegisteredModel[]) {
  const standings = await house.reconciled.standingsOf([...new Set(models.map(({ provider }) => provider))]);
  return models.map((model) => {
    const standing = standings.find(
      (known) => known.provider === model.provider && known.model === model.name,
    );
    return { ...modelToWire(model), reconciliation: standingToWire(standing) };
  });
}

function standingToWire(standing: Standing | undefined) {
  return {
    flagged: standing?.isFlagged ?? false,
    flagged_days: standing?.flaggedDays ?? 0,
    last_flagged_day: standing?.lastFlaggedDay ?? null,
    last_reported_at: standing?.lastReportedAt.toISOString() ?? null,
  };
}

/** A model as its owner sees it: everything but the credential. */
function modelToWire(model: RegisteredModel) {
  return {
    id: model.id,
    name: model.name,
    provider: model.provider,
    type: model.type,
    description: model.description,
    endpoint: model.endpoint,
    auth_type: model.authType,
    has_credential: model.credential !== undefined,
    pricing: model.price === undefined ? null : pricingOf(model.price),
    price_version: model.price?.version ?? null,
    capabilities: model.capabilities,
    specialties: model.specialties,
    performance: {
      ...(model.avgLatencyMs === undefined ? {} : { avg_latency_ms: model.avgLatencyMs }),
      ...(model.accuracyScore === undefined ? {} : { accuracy_score: model.accuracyScore }),
    },
    ...(model.costEfficiency === undefined ? {} : { cost_efficiency: model.costEfficiency }),
    streaming: model.streaming,
    ...(model.contextWindow === undefined ? {} : { context_window: model.contextWindow }),
    ...(model.maxOutputTokens === undefined ? {} : { max_output_tokens: model.maxOutputTokens }),
    backups: model.backups,
    limits: {
      connect_ms: model.limits.connectMs,
      first_byte_ms: model.limits.firstByteMs,
      silence_ms: model.limits.silenceMs,
      whole_ms: model.limits.wholeMs,
      response_bytes: model.limits.responseBytes,
      chunk_bytes: model.limits.chunkBytes,
    },
    state: model.state,
    created_at: model.createdAt.toISOString(),
  };
}

export const providerEndpoints: readonly Endpoint[] = [
  registerModel,
  listOwn,
  readOwn,
  changeOwn,
  listPrices,
  withdraw,
  checkOwn,
];
