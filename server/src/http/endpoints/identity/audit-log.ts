import type { Deed } from "@trunkline/core/audit-event.ts";
import type { Caller } from "@trunkline/core/caller.ts";
import { isId } from "@trunkline/core/id.ts";
import { isoDate } from "@trunkline/core/iso-date.ts";
import { startOfDay } from "@trunkline/core/time-zone.ts";
import { z } from "zod";
import type { DeedFilter } from "../../../store/identity/audit-log.ts";
import { csvOf } from "../../responses/csv.ts";
import { listPage, pageOf, pageQuery } from "../../responses/list-page.ts";
import { deedShown, deedToWire } from "../../responses/organisation.ts";
import { control, type Endpoint, Reply, type Visit } from "../endpoint.ts";

/** More than a spreadsheet is read for. Whoever wants all of more asks by ranges of days. */
const MOST_CSV_ROWS = 10_000;

const id = z.string().refine(isId, "must be an id");
const logQuery = pageQuery.extend({
  actor: id.optional().describe("The id of the person or key who did it."),
  action: z
    .string()
    .regex(/^[a-z0-9._-]{1,64}$/, "must be an action such as key.create, or the beginning of some")
    .optional()
    .describe("An action such as `key.create`, or the beginning of some, such as `key.`."),
  from: isoDate.optional().describe("The first day, in the account's time zone."),
  to: isoDate.optional().describe("The last day, which counts as well."),
});
const COLUMNS = [
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

const readLog = control({
  method: "GET",
  path: "/v1/audit-log",
  power: "audit.read",
  status: 200,
  tag: "Organisation",
  summary: "Who did what in the organisation, newest first",
  description: `CSV with \`Accept: text/csv\`: the newest ${MOST_CSV_ROWS.toLocaleString("en")} that fit, at once.`,
  faults: [],
  query: logQuery,
  alternatives: ["text/csv"],
  answer: pageOf(deedShown),
  handle: (visit) => showLog(visit, filterOf(visit.query, visit.caller, visit.caller.accountId), deedToWire),
});

const readEveryLog = control({
  method: "GET",
  path: "/v1/admin/audit-log",
  power: "operator.read",
  status: 200,
  tag: "Operator",
  summary: "Who did what in every account, newest first",
  description: "As `GET /v1/audit-log`, of one account or of all.",
  faults: [],
  query: logQuery.extend({ account: id.optional().describe("One account's alone.") }),
  alternatives: ["text/csv"],
  answer: pageOf(deedShown.extend({ account_id: z.string() })),
  handle: (visit) =>
    showLog(visit, filterOf(visit.query, visit.caller, visit.query.account), (deed) => ({
      ...deedToWire(deed),
      account_id: deed.accountId,
    })),
});

type LogQuery = z.output<typeof logQuery>;

function filterOf(query: LogQuery, { timeZone }: Caller, accountId: string | undefined): DeedFilter {
  return {
    accountId,
    actorId: query.actor,
    action: query.action,
    from: query.from === undefined ? undefined : startOfDay(query.from, timeZone, 0),
    to: query.to === undefined ? undefined : startOfDay(query.to, timeZone, 1),
  };
}

async function showLog(
  { house, request, query }: Visit<unknown, LogQuery>,
  filter: DeedFilter,
  show: (deed: Deed) => unknown,
) {
  if (!/\btext\/csv\b/i.test(request.headers.accept ?? "")) {
    return listPage(query, (limit, cursor) => house.deeds.list(filter, limit, cursor), show);
  }
  const deeds = await house.deeds.list(filter, MOST_CSV_ROWS, undefined);
  const isOfAll = filter.accountId === undefined;
  const columns = isOfAll ? ["account_id", ...COLUMNS] : COLUMNS;
  return new Reply(200, csvOf(columns, deeds.map(deedToCsv)), "text/csv; charset=utf-8");
}

function deedToCsv(deed: Deed) {
  return {
    account_id: deed.accountId,
    time: deed.createdAt.toISOString(),
    action: deed.action,
    actor_kind: deed.actor.kind,
    actor: deed.actor.name,
    actor_id: deed.actor.id ?? "",
    subject: deed.subjectName ?? "",
    subject_id: deed.subjectId ?? "",
    details: Object.keys(deed.details).length === 0 ? "" : JSON.stringify(deed.details),
    address: deed.address ?? "",
  };
}

export const auditLogEndpoints: readonly Endpoint[] = [readLog, readEveryLog];
