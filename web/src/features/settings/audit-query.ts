import { infiniteQueryOptions } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";

export type AuditEvent = AnswerOf<"GET /v1/audit-log">["data"][number];

/** What of the log is wanted. */
export interface AuditFilter {
  readonly actor: { readonly id: string; readonly name: string } | undefined;
  readonly action: string | undefined;
  /** Days as `2026-01-31`; empty: no bound. */
  readonly from: string;
  readonly to: string;
}

export const NO_FILTER: AuditFilter = { actor: undefined, action: undefined, from: "", to: "" };

const PAGE = 50;

/** The log, page by page, the newest first. */
export function auditQuery(filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ["audit-log", filter],
    queryFn: ({ signal, pageParam }) =>
      api.call("GET /v1/audit-log", {
        signal,
        query: { ...queryOf(filter), limit: PAGE, cursor: pageParam },
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

/** The same as a table for a spreadsheet, all at once. */
export function readAuditCsv(filter: AuditFilter): Promise<string> {
  return api.text("GET /v1/audit-log", "text/csv", { query: queryOf(filter) });
}

function queryOf({ actor, action, from, to }: AuditFilter) {
  return {
    actor: actor?.id,
    action,
    from: from === "" ? undefined : from,
    to: to === "" ? undefined : to,
  };
}
