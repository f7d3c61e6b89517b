import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import type { AuditFinding } from "../ledger/audit.ts";
import type { Cluster } from "./cluster-registry.ts";

type Note = Row<"cluster_transfers", "id" | "kind" | "account_id" | "amount" | "arrived_at">;

const EXAMPLES = 5;

/** Checks what lies between clusters: what has left one has entered the other, once, or is on its way. */
export async function auditBetweenClusters(clusters: readonly Cluster[]): Promise<AuditFinding[]> {
  const troubles: string[] = [];
  const underWay: string[] = [];
  for (const from of clusters) {
    for (const to of clusters) {
      if (from.number === to.number) continue;
      // What entered is read first: all of it has left by then.
      const entered = await readNotes(to.database, "in", from.number);
      const left = await readNotes(from.database, "out", to.number);
      for (const [id, note] of entered) {
        const out = left.get(id);
        if (out === undefined)
          troubles.push(`in ${id} of ${note.amount} on cluster ${to.number} did not leave cluster ${from.number}`);
        else if (out.amount !== note.amount || out.account_id !== note.account_id || out.kind !== note.kind)
          troubles.push(
            `out ${id} of ${out.amount} on cluster ${from.number} is an in of ${note.amount} on cluster ${to.number}`,
          );
      }
      for (const [id, out] of left) {
        if (entered.has(id) || (await hasEntered(to.database, id))) continue;
        if (out.arrived_at === null)
          underWay.push(`out ${id} of ${out.amount} from cluster ${from.number} to cluster ${to.number}`);
        else troubles.push(`out ${id} of ${out.amount} from cluster ${from.number} did not enter cluster ${to.number}`);
      }
    }
  }
  return [
    findingOf(
      "between-clusters",
      "What has left a cluster has entered the other one, once and in its amount, and nothing has entered that did not leave.",
      "broken",
      troubles,
    ),
    findingOf("under-way", "Nothing is on its way between clusters.", "note", underWay),
  ];
}

function findingOf(
  check: string,
  sentence: string,
  trouble: "broken" | "note",
  examples: readonly string[],
): AuditFinding {
  return {
    check,
    sentence,
    verdict: examples.length === 0 ? "sound" : trouble,
    count: BigInt(examples.length),
    examples: examples.slice(0, EXAMPLES),
  };
}

async function readNotes(database: Database, side: "in" | "out", other: number): Promise<ReadonlyMap<string, Note>> {
  const rows = await database.query<Note>(
    "SELECT id, kind, account_id, amount, arrived_at FROM cluster_transfers WHERE side = $1 AND other = $2",
    [side, other],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

async function hasEntered(database: Database, id: string): Promise<boolean> {
  const rows = await database.query("SELECT 1 FROM cluster_transfers WHERE id = $1 AND side = 'in'", [id]);
  return rows.length > 0;
}
