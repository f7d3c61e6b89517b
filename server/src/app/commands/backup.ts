import { mkdir, readdir, readFile, rename, rm, statfs } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { StartupError } from "@trunkline/core/fault.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { takeBaseBackup } from "@trunkline/local-postgres/base-backup.ts";
import { locateStore } from "@trunkline/local-postgres/embedded-postgres.ts";
import { type Database, openDatabase } from "../../store/database/database.ts";
import type { DatabaseAddress } from "../../store/database/servers.ts";
import { databaseBytes, exportDatabase } from "../../store/export-database.ts";
import { appliedMigrations } from "../../store/migrate.ts";
import type { StoreLocation } from "../config/config.ts";
import { CONTENT, fingerprintOf, writeManifest } from "./backup-manifest.ts";
import { messageOf, withStore } from "./with-store.ts";

const HELP = `Copies everything in the database into a new folder. The service may go on serving.

  trunkline backup <folder> [--rows]

Finds the database by DATABASE_URL or TRUNKLINE_DATA_DIR, as the service does. Of the embedded PostgreSQL it copies the
files, which can be rolled forward to a moment (TRUNKLINE_WAL_ARCHIVE); of your own PostgreSQL, and with --rows, the rows as of one moment,
which can be restored into any PostgreSQL. The secret is not in the back-up: keep it apart.
Ends with 0 when the back-up is complete, 2 when it could not be made.`;

/** How much of the data's size must be free for its compressed copy: less can't be enough. */
const SPACE_NEEDED = 0.2;

/** `trunkline backup`: returns the exit code. */
export async function backupCommand(
  args: readonly string[],
  readSite: () => StoreLocation,
  out: (line: string) => void,
): Promise<number> {
  let folder: string;
  let wantsRows: boolean;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: "boolean", short: "h" }, rows: { type: "boolean", default: false } },
    });
    if (values.help === true) {
      out(HELP);
      return 0;
    }
    if (positionals[0] === undefined || positionals.length > 1) throw new Error("Name one folder for the back-up.");
    folder = resolve(positionals[0]);
    wantsRows = values.rows;
  } catch (error) {
    out(`${messageOf(error)}\n\n${HELP}`);
    return 2;
  }
  try {
    const site = readSite();
    await requireNewFolder(folder);
    out(await withStore(site, (address) => backUp(site, address, folder, wantsRows)));
    if ((await readSecret(site)) === undefined) {
      out(
        "TRUNKLINE_SECRET was not set, so a restore can't check it. Keep it: without it the encrypted columns can't be read.",
      );
    }
    return 0;
  } catch (error) {
    out(`The back-up could not be made.\n${messageOf(error)}`);
    return 2;
  }
}

/** Makes the back-up under another name first: what was broken off must not look whole. */
async function backUp(
  site: StoreLocation,
  address: DatabaseAddress,
  folder: string,
  wantsRows: boolean,
): Promise<string> {
  if (site.otherDatabaseUrls.length > 0)
    throw new StartupError(
      "Accounts are on several databases. Back each of them up with PostgreSQL's own tools: see docs/scaling.md.",
    );
  const database = openDatabase(address, () => undefined);
  const unfinished = join(dirname(folder), `${basename(folder)}.unfinished-${process.pid}`);
  try {
    const migrations = await appliedMigrations(database);
    if (migrations.length === 0) throw new StartupError("The database holds no data of Trunkline.");
    await mkdir(join(unfinished, CONTENT), { recursive: true, mode: 0o700 });
    await requireSpace(unfinished, SPACE_NEEDED * (await databaseBytes(database)));
    const takenAt = await writeBackup(site, address, database, unfinished, wantsRows, migrations);
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
    return `The back-up in ${folder} is complete: the data as of ${takenAt.toISOString()}. Keep the secret apart from it.`;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  } finally {
    await database.close();
  }
}

async function writeBackup(
  site: StoreLocation,
  address: DatabaseAddress,
  database: Database,
  folder: string,
  wantsRows: boolean,
  migrations: number[],
): Promise<Date> {
  const known = await readSecret(site);
  const secret = known === undefined ? null : fingerprintOf(known);
  const content = join(folder, CONTENT);
  // On Windows the server's password lies beside its files.
  if (wantsRows || "connectionString" in address || process.platform === "win32") {
    const { exportedAt, ...rows } = await exportDatabase(database, content);
    const { tables, relations, sequences } = rows;
    const lists = { tables: [...tables], relations: [...relations], sequences: [...sequences] };
    await writeManifest(folder, {
      kind: "rows",
      takenAt: exportedAt,
      secret,
      ...lists,
      migrations: [...rows.migrations],
    });
    return exportedAt;
  }
  const { cluster } = await locateStore(site.dataDir);
  const postgres = (await readFile(join(cluster, "PG_VERSION"), "utf8")).trim();
  const { finishedAt, walStart, walEnd, folders, files } = await takeBaseBackup(address, cluster, content);
  const lists = { folders: [...folders], files: [...files] };
  await writeManifest(folder, {
    kind: "files",
    takenAt: finishedAt,
    postgres,
    migrations,
    secret,
    walStart,
    walEnd,
    ...lists,
  });
  return finishedAt;
}

async function requireNewFolder(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new StartupError(`${folder} can't hold a back-up: ${error.message}`);
  });
  if (entries.length > 0) throw new StartupError(`${folder} is not empty. Name a new folder for each back-up.`);
}

/** Refuses where the disk of a folder is too full. */
export async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= bytes) return;
  throw new StartupError(
    `There is not enough disk for ${folder}: at least ${megabytes(bytes)} MB are needed, ${megabytes(free)} MB are free.`,
  );
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000);

/** The service's secret; undefined: it is neither set nor in the data folder. */
export async function readSecret({ secret, databaseUrl, dataDir }: StoreLocation): Promise<Secret | undefined> {
  if (secret !== undefined || databaseUrl !== undefined) return secret;
  return readFile(join(dataDir, "secret"), "utf8").then(
    (text) => new Secret(text.trim()),
    () => undefined,
  );
}
