import type { AuditEvent } from "@trunkline/core/audit-event.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import { Fault } from "@trunkline/core/fault.ts";
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

/** More would not fit into the memory that one operation may take. */
const EXPORT_EVENTS_MAX = 50_000;

const exportQuery = logQuery.omit({ limit: true, cursor: true });

const exportLog = controlEndpoint({
  method: "GET",
  path: "/v1/audit-log/export",
  permission: "audit.read",
  status: 200,
  tag: "Organisation",
  summary: "The audit log as a signed file",
  description: `JSON lines, the oldest event first, and a last line with an Ed25519 signature over all others. \`trunkline verify-audit-log\` checks it without the service. At most ${EXPORT_EVENTS_MAX.toLocaleString("en")} events: narrow the days for more.`,
  faults: [],
  query: exportQuery,
  alternativeContentTypes: ["application/x-ndjson"],
  response: z.string(),
  handle: (operationContext) => toSignedExport(operationContext, operationContext.caller.accountId),
});

const exportServiceLog = controlEndpoint({
  method: "GET",
  path: "/v1/admin/audit-log/export",
  permission: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "The audit log of every account as a signed file",
  description: "As `GET /v1/audit-log/export`, of one account or of all.",
  faults: [],
  query: exportQuery.extend({ account: idSchema.optional().describe("One account's alone.") }),
  alternativeContentTypes: ["application/x-ndjson"],
  response: z.string(),
  handle: (operationContext) => toSignedExport(operationContext, operationContext.query.account),
});

const readExportKey = controlEndpoint({
  method: "GET",
  path: "/v1/audit-log/key",
  // Anyone who is given an export must be able to check it.
  permission: "usage.read",
  status: 200,
  tag: "Organisation",
  summary: "The key that signs exports of the audit log",
  description: "Keep it apart from the exports: who has it can check them without the service.",
  faults: [],
  response: z.object({
    algorithm: z.literal("Ed25519"),
    key: z.string().describe("The 32 bytes of the public key, in base64url."),
  }),
  handle: async ({ services }) => ({
    algorithm: "Ed25519" as const,
    key: await services.identity.auditSigner.publicKey(),
  }),
});

async function toSignedExport(
  { services, query, caller }: OperationContext<unknown, z.output<typeof exportQuery>>,
  accountId: string | undefined,
) {
  const filter = toAuditFilter(query, caller, accountId);
  const events = await services.identity.auditLog.list(filter, EXPORT_EVENTS_MAX + 1, undefined);
  if (events.length > EXPORT_EVENTS_MAX)
    throw new Fault(
      "invalid_request",
      `There are more than ${EXPORT_EVENTS_MAX.toLocaleString("en")} events. Narrow the days by \`from\` and \`to\`.`,
      { param: "from" },
    );
  const about = {
    service: services.identity.origin,
    account_id: accountId ?? null,
    made_at: new Date(services.clock.now()).toISOString(),
    from: filter.from?.toISOString() ?? null,
    to: filter.to?.toISOString() ?? null,
    actor: query.actor ?? null,
    action: query.action ?? null,
  };
  const lines = events.toReversed().map((event) => ({ ...toAuditEventResponse(event), account_id: event.accountId }));
  return new Reply(200, await services.identity.auditSigner.export(about, lines), "application/x-ndjson", {
    "content-disposition": 'attachment; filename="audit-log.jsonl"',
  });
}

type LogQuery = z.output<typeof logQuery>;

function toAuditFilter(
  query: Omit<LogQuery, "limit" | "cursor">,
  { timeZone }: Caller,
  accountId: string | undefined,
): AuditEventFilter {
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

export const auditLogEndpoints: readonly Endpoint[] = [
  readLog,
  exportLog,
  readExportKey,
  readServiceLog,
  exportServiceLog,
];
