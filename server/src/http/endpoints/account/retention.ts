import { Fault } from "@trunkline/core/fault.ts";
import {
  type AccountRetention,
  effectiveDays,
  RETENTION_DAYS_LIMIT,
  RETENTION_KINDS,
  type RetentionKind,
  refusalOfDays,
  type ServiceRetention,
} from "@trunkline/core/retention.ts";
import { z } from "zod";
import { controlEndpoint, type Endpoint } from "../endpoint.ts";

const WHAT: Readonly<Record<RetentionKind, string>> = {
  contents: "Prompts and outputs in the records of requests, where they are stored at all.",
  details:
    "What was decided and measured for a request, its tags and its feedback. When it came, the key, the model, tokens and cost stay.",
  responses: "Responses and conversations that later requests continue, counted from their last use.",
  audit_log: "Entries of the audit log.",
};

const keptSchema = z.object({
  days: z.number().nullable().describe("For how many days it is kept. null: for as long as the service keeps it."),
  own_days: z.number().nullable().describe("What the account chose. null: nothing."),
  min_days: z.number().describe("The least that it may choose."),
  max_days: z.number().nullable().describe("The most that it may choose. null: any number."),
});

const ownDaysSchema = z.int().min(1).max(RETENTION_DAYS_LIMIT).nullable().optional();

const retentionResponseSchema = z.object({
  contents: keptSchema.describe(WHAT.contents),
  details: keptSchema.describe(WHAT.details),
  responses: keptSchema.describe(WHAT.responses),
  audit_log: keptSchema.describe(WHAT.audit_log),
});

const changeSchema = z.object({
  contents: ownDaysSchema.describe(WHAT.contents),
  details: ownDaysSchema.describe(WHAT.details),
  responses: ownDaysSchema.describe(WHAT.responses),
  audit_log: ownDaysSchema.describe(WHAT.audit_log),
});

function toRetentionResponse(own: AccountRetention, bounds: ServiceRetention): z.infer<typeof retentionResponseSchema> {
  const kept = (kind: RetentionKind) => ({
    days: effectiveDays(own[kind], bounds[kind]) ?? null,
    own_days: own[kind] ?? null,
    min_days: bounds[kind].minDays,
    max_days: bounds[kind].maxDays ?? null,
  });
  return {
    contents: kept("contents"),
    details: kept("details"),
    responses: kept("responses"),
    audit_log: kept("audit_log"),
  };
}

const readRetention = controlEndpoint({
  method: "GET",
  path: "/v1/settings/retention",
  permission: "settings.read",
  status: 200,
  tag: "Account",
  summary: "For how long the account's data is kept",
  faults: [],
  response: retentionResponseSchema,
  handle: async ({ services, caller }) =>
    toRetentionResponse(await services.identity.retention.read(caller.accountId), services.config.retention),
});

const changeRetention = controlEndpoint({
  method: "PATCH",
  path: "/v1/settings/retention",
  permission: "settings.change",
  audit: { action: "retention.change", details: ({ body }) => body },
  status: 200,
  tag: "Account",
  summary: "Change for how long the account's data is kept",
  description:
    "In days, within the operator's bounds. What is not given stays; null is the service's own. What is older is deleted within ten minutes, and does not come back.",
  faults: [],
  body: changeSchema,
  response: retentionResponseSchema,
  async handle({ services, caller, body }) {
    const { retention: bounds } = services.config;
    for (const kind of RETENTION_KINDS) {
      const days = body[kind];
      const refusal = days === undefined || days === null ? undefined : refusalOfDays(days, bounds[kind]);
      if (refusal !== undefined) throw new Fault("invalid_request", `\`${kind}\` ${refusal}.`, { param: kind });
    }
    const { retention } = services.identity;
    await retention.change(caller.accountId, body);
    return toRetentionResponse(await retention.read(caller.accountId), bounds);
  },
});

export const retentionEndpoints: readonly Endpoint[] = [readRetention, changeRetention];
