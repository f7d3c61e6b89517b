import { parseArgs } from "node:util";
import { type Database, type DatabaseAddress, openDatabase } from "../../store/database/database.ts";
import { type AuditFinding, auditLedger, type LedgerAudit } from "../../store/ledger/audit.ts";
import { requireCurrentSchema } from "../../store/migrate.ts";
import type { StoreLocation } from "../config/config.ts";
import { messageOf, withStore } from "./with-store.ts";

const HELP = `Replays the ledger and checks everything it promises. Changes nothing, and may run beside the service.

  trunkline audit

Finds the database by DATABASE_URL or TRUNKLINE_DATA_DIR, as the service does. Needs nothing else.
Ends with 0 when the ledger is sound, 1 when something was found, 2 when the audit could not be made.`;

const MARKS = { sound: "✓", note: "!", broken: "✗" } as const;

/** `trunkline audit`: prints what each check finds and returns the exit code. */
export async function auditCommand(
  args: readonly string[],
  readSite: () => StoreLocation,
  out: (line: string) => void,
): Promise<number> {
  try {
    const { values } = parseArgs({ args: [...args], options: { help: { type: "boolean", short: "h" } } });
    if (values.help === true) {
      out(HELP);
      return 0;
    }
  } catch (error) {
    // parseArgs throws a TypeError with a sentence for people, whatever is wrong with the arguments.
    out(`${messageOf(error)}\n\n${HELP}`);
    return 2;
  }
  try {
    const audit = await withStore(readSite(), auditAt);
    return printAudit(audit, out);
  } catch (error) {
    // Whatever it is: an audit that was not made must never look like one that found something.
    out(`The audit could not be made.\n${messageOf(error)}`);
    return 2;
  }
}

/** Prints what each check found and returns the exit code. */
export function printAudit(audit: LedgerAudit, out: (line: string) => void): number {
  for (const finding of audit.findings) print(finding, out);
  out(closingLine(audit));
  return audit.findings.some(({ verdict }) => verdict === "broken") ? 1 : 0;
}

async function auditAt(address: DatabaseAddress): Promise<LedgerAudit> {
  // A connection that breaks fails the query under way, which says so.
  const database: Database = openDatabase(address, () => undefined);
  try {
    await requireCurrentSchema(database);
    return await auditLedger(database);
  } finally {
    await database.close();
  }
}

function print({ verdict, sentence, count, examples }: AuditFinding, out: (line: string) => void): void {
  out(`${MARKS[verdict]} ${sentence}${verdict === "sound" ? "" : ` Not so: ${count}.`}`);
  for (const example of examples) out(`    ${example}`);
  if (count > examples.length) out(`    and ${count - BigInt(examples.length)} more`);
}

function closingLine({ findings, transfers, seal }: LedgerAudit): string {
  const broken = findings.filter(({ verdict }) => verdict === "broken").length;
  const scope = `${findings.length} checks of ${transfers} transfers`;
  const end = seal === undefined ? "There is no seal yet." : `Seal ${seal.id}: ${seal.digest}`;
  return broken === 0
    ? `The ledger is sound: ${scope}. ${end}`
    : `The ledger is not sound: ${broken} of ${scope} failed. Amounts are in nano-credits. ${end}`;
}
