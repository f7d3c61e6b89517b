import { ARCHIVE_CHAIN } from "../usage/request-archive.ts";
import type { AuditCheck } from "./audit-check.ts";

/** The rules of what has left the database, and of where audits begin. */
export const RETENTION_CHECKS: readonly AuditCheck[] = [
  {
    name: "archives",
    sentence:
      "Every archive fits the one before it, and together they cost what the ledger has charged for their requests.",
    severity: "finding",
    sql: `SELECT CASE WHEN a.id <> a.place THEN format('archive %s is in place %s', a.id, a.place)
        ELSE format('archive %s is not as it was noted, or does not follow the one before it', a.id) END AS example
      FROM (SELECT *, row_number() OVER (ORDER BY id) AS place, lag(chain) OVER (ORDER BY id) AS previous FROM request_archives) a
      WHERE a.id <> a.place OR a.chain <> ${ARCHIVE_CHAIN("a.previous")}
      UNION ALL
      SELECT format('the ledger has %s charges of %s for archived requests, the archives %s of %s', c.charged, c.cost, a.charged, a.cost)
      FROM (
        SELECT count(*) AS charged, coalesce(sum(amount), 0) AS cost FROM ledger_transfers
        WHERE request_id < (SELECT first_kept FROM request_horizon)
      ) c, (
        SELECT coalesce(sum(charged), 0) AS charged, coalesce(sum(cost), 0) AS cost FROM (
          SELECT charged, cost FROM request_archives
          -- Those that are about to be archived.
          UNION ALL SELECT 1, cost FROM public.requests WHERE id < (SELECT first_kept FROM request_horizon) AND cost > 0
        ) gone
      ) a
      WHERE (SELECT is_whole FROM scope) AND (c.charged, c.cost) IS DISTINCT FROM (a.charged, a.cost)`,
  },
  {
    name: "checkpoints",
    sentence: "Every seal that an earlier audit ended with is still there.",
    severity: "finding",
    sql: `SELECT format('seal %s is not the one that was audited', k.seal) AS example
      FROM ledger_checkpoints k LEFT JOIN ledger_seals s ON s.id = k.seal WHERE s.digest IS DISTINCT FROM k.seal_digest ORDER BY k.id`,
  },
];
