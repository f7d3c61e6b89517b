import { join } from "node:path";
import { parseArgs } from "node:util";
import { auditBetweenClusters } from "../../store/clusters/audit-between-clusters.ts";
import { HOME, requireSingleDatabase } from "../../store/clusters/cluster-registry.ts";
import { type Database, openDatabase } from "../../store/database/database.ts";
import type { DatabaseAddress } from "../../store/database/servers.ts";
import { type AuditFinding, auditLedger, type LedgerAudit } from "../../store/ledger/audit.ts";
import { setCheckpoint } from "../../store/ledger/audit-scope.ts";
import { requireCurrentSchema } from "../../store/migrate.ts";
import { type ArchiveVerdict, verifyArchives } from "../../store/usage/verify-archives.ts";
import type { StoreLocation } from "../config/config.ts";
import { messageOf, withClusters, withStore } from "./with-store.ts";

const HELP = `Replays the ledger and checks everything it promises. Changes none of it, and may run beside the service.

  trunkline audit [--since-checkpoint] [--set-checkpoint] [--archive <folder>]

With --set-checkpoint a sound audit is noted, with the balances that it found; with --since-checkpoint the next one begins there, and reads
only what came after it. --archive reads the files of archived requests as well. Finds the database by DATABASE_URL or TRUNKLINE_DATA_DIR, as the service does. Needs nothing else.
With DATABASE_URLS, every cluster is audited, and what has moved between them.
Ends with 0 when the ledger is sound, 1 when something was found, 2 when the audit could not be made.`;

const MARKS = { sound: "✓", note: "!", broken: "✗" } as const;

/** `trunkline audit`: prints what each check finds and returns the exit code. */
export async function auditCommand(
  args: readonly string[],
  readSite: () => StoreLocation,
  out: (line: string) => void,
): Promise<number> {
  let wish: AuditWish;
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        help: { type: "boolean", short: "h" },
        "since-checkpoint": { type: "boolean", default: false },
        "set-checkpoint": { type: "boolean", default: false },
        archive: { type: "string" },
      },
    });
    if (values.help === true) {
      out(HELP);
      return 0;
    }
    wish = {
      sinceCheckpoint: values["since-checkpoint"],
      setsCheckpoint: values["set-checkpoint"],
      archive: values.archive,
    };
  } catch (error) {
    // parseArgs throws a TypeError with a sentence for people, whatever is wrong with the arguments.
    out(`${messageOf(error)}\n\n${HELP}`);
    return 2;
  }
  try {
    const site = readSite();
    if (site.otherDatabaseUrls.length > 0) return await auditClusters(site, wish, out);
    return await withStore(site, (address) => auditAt(address, wish, out));
  } catch (error) {
    // Whatever it is: an audit that was not made must never look like one that found something.
    out(`The audit could not be made.\n${messageOf(error)}`);
    return 2;
  }
}

interface AuditWish {
  readonly sinceCheckpoint: boolean;
  readonly setsCheckpoint: boolean;
  /** The folder with the archived requests; undefined: they are not read. */
  readonly archive: string | undefined;
}

/** Prints what each check found and returns the exit code. */
export function printAudit(audit: LedgerAudit, out: (line: string) => void): number {
  for (const finding of audit.findings) print(finding, out);
  out(closingLine(audit));
  return audit.findings.some(({ verdict }) => verdict === "broken") ? 1 : 0;
}

async function auditAt(address: DatabaseAddress, wish: AuditWish, out: (line: string) => void): Promise<number> {
  // A connection that breaks fails the query under way, which says so.
  const database: Database = openDatabase(address, () => undefined);
  try {
    await requireCurrentSchema(database);
    await requireSingleDatabase(database);
    return await auditDatabase(database, wish, out);
  } finally {
    await database.close();
  }
}

/** Audits each cluster, and what lies between them. */
async function auditClusters(site: StoreLocation, wish: AuditWish, out: (line: string) => void): Promise<number> {
  return withClusters(site, async (clusters) => {
    let code = 0;
    for (const { number, database } of clusters) {
      out(`Cluster ${number}`);
      const archive = wish.archive && (number === HOME ? wish.archive : join(wish.archive, `cluster-${number}`));
      code = Math.max(code, await auditDatabase(database, { ...wish, archive }, out));
      out("");
    }
    const findings = await auditBetweenClusters(clusters);
    for (const finding of findings) print(finding, out);
    return findings.some(({ verdict }) => verdict === "broken") ? 1 : code;
  });
}

async function auditDatabase(database: Database, wish: AuditWish, out: (line: string) => void): Promise<number> {
  const audit = await auditLedger(database, wish.sinceCheckpoint);
  let code = 0;
  if (wish.archive !== undefined) code = printArchives(await verifyArchives(database, wish.archive), out);
  code = Math.max(code, printAudit(audit, out));
  if (wish.setsCheckpoint && code === 0) {
    if (audit.mark !== undefined) await setCheckpoint(database, audit.mark);
    out(
      audit.mark === undefined
        ? "No checkpoint was set: nothing is sealed yet."
        : `A checkpoint is set at seal ${audit.mark.seal}.`,
    );
  }
  return code;
}

function printArchives({ files, requests, troubles }: ArchiveVerdict, out: (line: string) => void): number {
  const isSound = troubles.length === 0;
  out(
    `${isSound ? MARKS.sound : MARKS.broken} ${files} archived files with ${requests} requests are as they were written, and the ledger has their charges.${isSound ? "" : ` Not so: ${troubles.length}.`}`,
  );
  for (const trouble of troubles.slice(0, 5)) out(`    ${trouble}`);
  return isSound ? 0 : 1;
}

function print({ verdict, sentence, count, examples }: AuditFinding, out: (line: string) => void): void {
  out(`${MARKS[verdict]} ${sentence}${verdict === "sound" ? "" : ` Not so: ${count}.`}`);
  for (const example of examples) out(`    ${example}`);
  if (count > examples.length) out(`    and ${count - BigInt(examples.length)} more`);
}

function closingLine({ findings, transfers, seal, since }: LedgerAudit): string {
  const broken = findings.filter(({ verdict }) => verdict === "broken").length;
  const scope = `${findings.length} checks of ${transfers} transfers${since === undefined ? "" : ` since the checkpoint of ${since.toISOString()}`}`;
  const end = seal === undefined ? "There is no seal yet." : `Seal ${seal.id}: ${seal.digest}`;
  return broken === 0
    ? `The ledger is sound: ${scope}. ${end}`
    : `The ledger is not sound: ${broken} of ${scope} failed. Amounts are in nano-credits. ${end}`;
}
