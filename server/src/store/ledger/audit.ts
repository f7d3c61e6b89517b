import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import type { AuditCheck } from "./audit-check.ts";
import { AUDIT_CHECKS } from "./audit-checks.ts";
import { auditRelations, type CheckpointMark, readAuditScope, readCheckpointMark } from "./audit-scope.ts";

/** The result of one check. */
export interface AuditFinding {
  readonly check: string;
  readonly sentence: string;
  readonly verdict: "sound" | "note" | "broken";
  readonly count: bigint;
  /** The first five, in words and with their ids. */
  readonly examples: readonly string[];
}

/** The state of the ledger at one moment. */
export interface LedgerAudit {
  readonly transfers: bigint;
  /** The last seal. A copy kept elsewhere reveals later whether the whole history was rewritten, seals included. */
  readonly seal: { readonly id: bigint; readonly digest: string } | undefined;
  readonly findings: readonly AuditFinding[];
  /** When the audit before this one ended, where this one began at its checkpoint. */
  readonly since: Date | undefined;
  /** Where the next audit may begin if this one is sound; undefined: there is no such place. */
  readonly mark: CheckpointMark | undefined;
}

const EXAMPLES = 5;

/**
 * Checks everything that must hold of the ledger, as of one moment. Changes nothing and blocks no other transaction. With
 * `sinceCheckpoint`, what an earlier audit found sound is not read again.
 */
export async function auditLedger(database: Database, sinceCheckpoint = false): Promise<LedgerAudit> {
  return database.transaction(async (connection) => {
    await connection.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    // Memory to sort a million transfers, and one processor: the service has requests to serve as well.
    await connection.query("SET LOCAL work_mem = '64MB'");
    await connection.query("SET LOCAL max_parallel_workers_per_gather = 0");
    await connection.query("SET LOCAL statement_timeout = 0");
    const scope = await readAuditScope(connection, sinceCheckpoint);
    const totals = await connection.query<{ transfers: bigint }>(
      "SELECT count(*) AS transfers FROM ledger_transfers WHERE id > $1",
      [scope.checkpoint?.last_transfer ?? 0n],
    );
    const seals = await connection.query<Row<"ledger_seals", "id"> & { digest: string }>(
      "SELECT id, encode(digest, 'hex') AS digest FROM ledger_seals ORDER BY id DESC LIMIT 1",
    );
    const findings: AuditFinding[] = [];
    const relations = auditRelations(scope);
    for (const check of AUDIT_CHECKS) findings.push(await runCheck(connection, relations, check));
    const mark = await readCheckpointMark(connection);
    const since = scope.checkpoint?.audited_at;
    return { transfers: totals[0]?.transfers ?? 0n, seal: seals[0], findings, since, mark };
  });
}

async function runCheck(connection: Queryable, relations: string, check: AuditCheck): Promise<AuditFinding> {
  const rows = await connection.query<{ example: string; found: bigint }>(
    `${relations} SELECT example, count(*) OVER () AS found FROM (${check.sql}) AS damage LIMIT ${EXAMPLES}`,
  );
  const first = rows[0];
  const trouble = check.severity === "note" ? "note" : "broken";
  return {
    check: check.name,
    sentence: check.sentence,
    verdict: first === undefined ? "sound" : trouble,
    count: first?.found ?? 0n,
    examples: rows.map(({ example }) => example),
  };
}
