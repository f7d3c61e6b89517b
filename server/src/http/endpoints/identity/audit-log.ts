import type { AuditEvent } from "@trunkline/core/audit-event.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import { isoDateSchema } from "@trunkline/core/field-schemas.ts";
import { isId } from "@trunkline/core/id.ts";
import { startOfDay } from "@trunkline/core/time-zone.ts";
import { z } from "zod";
import type { AuditEventFilter } from "../../../store/identity/audit-log.ts";
import { listPage, pageQuery, pageResponseSchema, toCsv, wantsCsv } from "../../responses/list-response.ts";
import { auditEventResponseSchema, toAuditEventResponse } from "../../responses/organisation.ts";
import { controlEndpoint, type Endpoint, type OperationContext, Reply } from "../endpoint.ts";

/** More rows than a person reads in a spreadsheet. Clients get the rest by ranges of days. */
const CSV_ROWS_MAX = 10_000;

const idSchema = z.string().refine(isId, "must be an id");
const logQuery = pageQuery.extend({
  actor: idSchema.optional().describe("The id of the person or key who did it."),
  action: z
    .string()
    .regex(/^[a-z0-9._-]{1,64}$/, "must be an action such as key.create, or the beginning of some")
    .optional()
    .describe("An action such as `key.create`, or the beginning of some, such as `key.`."),
  from: isoDateSchema.optional().describe("The first day, in the account's time zone."),
  to: isoDateSchema.optional().describe("The last day, which counts as well."),
});
const CSV_COLUMNS = [
  "time",
  "action",
  "actor_kind",
  "actor",
  "actor_id",
  "subject",
  "subject_id",
  "details",
  "address",
];

const readLog = controlEndpoint({
  method: "GET",
  path: "/v1/audit-log",
  permission: "audit.read",
  status: 200,
  tag: "Organisation",
  summary: "Who did what in the organisation, newest first",
  description: `CSV with \`Accept: text/csv\`: the newest ${CSV_ROWS_MAX.toLocaleString("en")} that fit, at once.`,
  faults: [],
  query: logQuery,
  alternativeContentTypes: ["text/csv"],
  response: pageResponseSchema(auditEventResponseSchema),
  handle: (operationContext) =>
    toLogResponse(
      operationContext,
      toAuditFilter(operationContext.query, operationContext.caller, operationContext.caller.accountId),
      toAuditEventResponse,
    ),
});

const readServiceLog = controlEndpoint({
  method: "GET",
  path: "/v1/admin/audit-log",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "Who did what in every account, newest first",
  description: "As `GET /v1/audit-log`, of one account or of all.",
  faults: [],
  query: logQuery.extend({ account: idSchema.optional().describe("One account's alone.") }),
  alternativeContentTypes: ["text/csv"],
  response: pageResponseSchema(auditEventResponseSchema.extend({ account_id: z.string() })),
  handle: (operationContext) =>
    toLogResponse(
      operationContext,
      toAuditFilter(operationContext.query, operationContext.caller, operationContext.query.account),
      (auditEvent) => ({
        ...toAuditEventResponse(auditEvent),
        account_id: auditEvent.accountId,
      }),
    ),
});

type LogQuery = z.output<typeof logQuery>;

function toAuditFilter(query: LogQuery, { timeZone }: Caller, accountId: string | undefined): AuditEventFilter {
  return {
    accountId,
    actorId: query.actor,
    action: query.action,
    from: query.from === undefined ? undefined : startOfDay(query.from, timeZone, 0),
    to: query.to === undefined ? undefined : startOfDay(query.to, timeZone, 1),
  };
}

async function toLogResponse(
  { services, request, query }: OperationContext<unknown, LogQuery>,
  filter: AuditEventFilter,
  toResponse: (auditEvent: AuditEvent) => unknown,
) {
  if (!wantsCsv(request)) {
    return listPage(query, (limit, cursor) => services.identity.auditLog.list(filter, limit, cursor), toResponse);
  }
  const auditEvents = await services.identity.auditLog.list(filter, CSV_ROWS_MAX, undefined);
  const columns = filter.accountId === undefined ? ["account_id", ...CSV_COLUMNS] : CSV_COLUMNS;
  return new Reply(200, toCsv(columns, auditEvents.map(toCsvRow)), "text/csv; charset=utf-8");
}

function toCsvRow(auditEvent: AuditEvent) {
  return {
    account_id: auditEvent.accountId,
    time: auditEvent.createdAt.toISOString(),
    action: auditEvent.action,
    actor_kind: auditEvent.actor.kind,
    actor: auditEvent.actor.name,
    actor_id: auditEvent.actor.id ?? "",
    subject: auditEvent.subjectName ?? "",
    subject_id: auditEvent.subjectId ?? "",
    details: Object.keys(auditEvent.details).length === 0 ? "" : JSON.stringify(auditEvent.details),
    address: auditEvent.address ?? "",
  };
}

export const auditLogEndpoints: readonly Endpoint[] = [readLog, readServiceLog];
