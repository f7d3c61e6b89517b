import { stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Database, hasOwnSessions, openDatabase, STORE_TIME } from "../../store/database/database.ts";
import { readServerFacts } from "../../store/database/server-facts.ts";
import { readSchemaVersions } from "../../store/migrate.ts";
import { explainError } from "../explain-error.ts";
import { bytesText, type CheckInput, type Finding, failed, note, ok } from "./finding.ts";

/** Above this, rows of different instances would be in a wrong order; leases and sessions still hold. */
const SKEW_MS_MAX = 1_000;

export async function checkDatabase({ database, config }: CheckInput): Promise<Finding[]> {
  if (typeof database === "string") return [failed(database)];
  const findings = await checkOne(database, config);
  if (config.otherDatabaseUrls.length === 0) return findings;
  return [...findings, ...(await checkClusters(config))];
}

/** The other databases that accounts are placed on. */
async function checkClusters(config: CheckInput["config"]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [index, connectionString] of config.otherDatabaseUrls.entries()) {
    const database = openDatabase({ connectionString }, () => undefined, { connections: 2 });
    const prefix = `Database ${index + 2}: `;
    try {
      for (const { verdict, sentence } of await checkOne(database, config))
        findings.push({ verdict, sentence: prefix + sentence });
    } catch (error) {
      findings.push(failed(prefix + explainError(error)));
    } finally {
      await database.close();
    }
  }
  return findings;
}

async function checkOne(database: Database, config: CheckInput["config"]): Promise<Finding[]> {
  const facts = await readServerFacts(database);
  const where = config.databaseUrl === undefined ? "The embedded PostgreSQL" : "PostgreSQL";
  const findings = [
    facts.isStandby
      ? failed("The database is a standby, which takes no changes. Connect to the primary server.")
      : ok(`${where} ${facts.version} answers, with ${bytesText(facts.databaseBytes)} of data.`),
    await checkSchema(database),
  ];
  if (!(await hasOwnSessions(database)))
    findings.push(
      failed(
        "A pooler in transaction mode stands before the database. Connect to PostgreSQL itself, or to a pooler in session mode.",
      ),
    );
  if (!facts.isDurable)
    findings.push(
      note("fsync or synchronous_commit is off: what was charged last can be lost when the database's machine fails."),
    );
  if (facts.connections > 0.9 * facts.connectionsMax)
    findings.push(
      note(`${facts.connections} of ${facts.connectionsMax} connections are in use. Raise max_connections.`),
    );
  return findings;
}

async function checkSchema(database: Database): Promise<Finding> {
  const versions = await readSchemaVersions(database);
  if (versions === undefined) return note("The database holds no data of Trunkline yet: the first start makes it.");
  const { applied, known } = versions;
  if (applied > known)
    return note(`The schema (${applied}) is of a newer version of Trunkline; this one knows ${known}.`);
  if (applied < known)
    return note(`The schema (${applied}) is of an older version: the next start brings it up to ${known}.`);
  return ok(`The schema is up to date (${applied}).`);
}

export async function checkClock({ database, now }: CheckInput): Promise<Finding[]> {
  if (typeof database === "string") return [failed(`The clock can't be compared. ${database}`)];
  // The connection is opened first: its time must not count.
  await database.query("SELECT 1");
  const before = now();
  const [row] = await database.query<{ time: number }>(`SELECT ${STORE_TIME}`);
  const skewMs = (before + now()) / 2 - (row?.time ?? before);
  const seconds = (Math.abs(skewMs) / 1_000).toFixed(1);
  if (Math.abs(skewMs) <= SKEW_MS_MAX) return [ok(`This machine's clock agrees with the database's to ${seconds} s.`)];
  const way = skewMs > 0 ? "ahead of" : "behind";
  return [
    failed(
      `This machine's clock is ${seconds} s ${way} the database's. The service goes by the database's; certificates and signatures go by this one. Set the clock.`,
    ),
  ];
}

const FREE_BYTES_MIN = 500_000_000;
const FREE_SHARE_MIN = 0.1;

export async function checkDisk({ database, config }: CheckInput): Promise<Finding[]> {
  if (config.databaseUrl !== undefined) {
    if (typeof database === "string") return [failed(`The size of the database is not known. ${database}`)];
    const { databaseBytes } = await readServerFacts(database);
    return [
      note(
        `The database has ${bytesText(databaseBytes)}. How much room its server has left can't be seen from here: watch it there.`,
      ),
    ];
  }
  const folder = await existingFolder(config.dataDir);
  const { bavail, blocks, bsize } = await statfs(folder);
  const [free, all] = [bavail * bsize, blocks * bsize];
  const words = `${bytesText(free)} of ${bytesText(all)} are free for ${config.dataDir}.`;
  if (free < FREE_BYTES_MIN) return [failed(`${words} Make room: a full disk stops the service.`)];
  return [free < FREE_SHARE_MIN * all ? note(`${words} Make room soon.`) : ok(words)];
}

/** The folder, or the nearest one above it that is there. */
async function existingFolder(path: string): Promise<string> {
  try {
    await stat(join(path));
    return path;
  } catch {
    return dirname(path) === path ? path : existingFolder(dirname(path));
  }
}
