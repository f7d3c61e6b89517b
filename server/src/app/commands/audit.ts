import { parseArgs } from "node:util";
import { Fault } from "@trunkline/core/fault.ts";
import { findRunningPostgres, startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import { type Database, type DatabaseAddress, openDatabase } from "../../store/database/database.ts";
import { type AuditFinding, auditLedger, type LedgerAudit } from "../../store/ledger/audit.ts";
import { requireCurrentSchema } from "../../store/migrate.ts";
import type { Config } from "../config/config.ts";

const HELP = `Replays the ledger and checks everything it promises. Changes nothing, and may run beside the service.

  trunkline audit

Finds the database by DATABASE_URL or TRUNKLINE_DATA_DIR, as the service does. Needs nothing else.
Ends with 0 when the ledger is sound, 1 when something was found, 2 when the audit could not be made.`;

const MARKS = { sound: "✓", note: "!", broken: "✗" } as const;

/** Where the ledger is. */
type StoreLocation = Pick<Config, "databaseUrl" | "dataDir">;

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
    for (const finding of audit.findings) print(finding, out);
    out(closingLine(audit));
    return audit.findings.some(({ verdict }) => verdict === "broken") ? 1 : 0;
  } catch (error) {
    // Whatever it is: an audit that was not made must never look like one that found something.
    out(`The audit could not be made.\n${messageOf(error)}`);
    return 2;
  }
}

/** Works on the database of the service, whether it runs or not. A server that is started for it is stopped again. */
async function withStore<Result>(
  { databaseUrl, dataDir }: StoreLocation,
  work: (address: DatabaseAddress) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl !== undefined) return work({ connectionString: databaseUrl });
  const running = await findRunningPostgres(dataDir);
  if (running !== undefined) return work(running);

  const starting = startEmbeddedPostgres({ dataDir, log: () => undefined, readOnly: true });
  // Broken off at the terminal, the server must not stay behind. Its end is the end of the query that runs.
  const stop = () => void starting.then((postgres) => postgres.stop()).catch(() => undefined);
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    const postgres = await starting;
    return await work(postgres.connection).finally(() => postgres.stop());
  } finally {
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
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

/** A store that is away is a `Fault` for clients; the person at the terminal sees its cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof Fault && error.cause instanceof Error
    ? `${error.message} (${error.cause.message})`
    : error.message;
}
