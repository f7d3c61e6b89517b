import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { StartupError } from "@trunkline/core/fault.ts";
import { startEmbeddedPostgres } from "@trunkline/local-postgres/embedded-postgres.ts";
import {
  findDamage,
  type RollForward,
  requireNoStore,
  restoreCluster,
} from "@trunkline/local-postgres/restore-cluster.ts";
import { openDatabase } from "../../store/database/database.ts";
import type { DatabaseAddress } from "../../store/database/servers.ts";
import { importDatabase, requireEmptyDatabase } from "../../store/export-database.ts";
import { auditLedger, type LedgerAudit } from "../../store/ledger/audit.ts";
import { migrate, requireKnownMigrations } from "../../store/migrate.ts";
import type { StoreLocation } from "../config/config.ts";
import { printAudit } from "./audit.ts";
import { readSecret, requireSpace } from "./backup.ts";
import {
  type BackupManifest,
  CONTENT,
  filesOf,
  fingerprintOf,
  readManifest,
  unpackedBytes,
} from "./backup-manifest.ts";
import { messageOf } from "./with-store.ts";

const HELP = `Restores a back-up into a data folder without a store, or into an empty database, and audits its ledger.

  trunkline restore <folder> [--wal <folder>] [--at <time>] [--without-secret]

Finds the target by DATABASE_URL or TRUNKLINE_DATA_DIR, as the service does. A back-up of files goes into a data folder
only. With --wal it is rolled forward by the log that TRUNKLINE_WAL_ARCHIVE collected, to its end or to --at, a time such as
2026-11-18T12:30:00Z. The secret of the service that was backed up must be in TRUNKLINE_SECRET or in the data folder's file
\`secret\`; --without-secret restores all the same, and what it encrypts is lost.
Ends with 0 when the data is restored and its ledger is sound, 1 when the ledger is not, 2 when nothing was restored.`;

const EMPTY_CLUSTER_BYTES = 60_000_000;

interface RestoreWish {
  readonly folder: string;
  readonly wal: string | undefined;
  readonly at: Date | undefined;
  readonly withoutSecret: boolean;
}

/** `trunkline restore`: returns the exit code. */
export async function restoreCommand(
  args: readonly string[],
  readSite: () => StoreLocation,
  out: (line: string) => void,
): Promise<number> {
  let wish: RestoreWish | undefined;
  try {
    wish = readWish(args);
  } catch (error) {
    out(`${messageOf(error)}\n\n${HELP}`);
    return 2;
  }
  if (wish === undefined) {
    out(HELP);
    return 0;
  }
  try {
    const site = readSite();
    const manifest = await readManifest(wish.folder);
    await requireRestorable(manifest, wish, site);
    const audit = await restore(manifest, wish, site, out);
    return printAudit(audit, out);
  } catch (error) {
    out(`The back-up could not be restored.\n${messageOf(error)}`);
    return 2;
  }
}

/** undefined: help is wanted. */
function readWish(args: readonly string[]): RestoreWish | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: "boolean", short: "h" },
      wal: { type: "string" },
      at: { type: "string" },
      "without-secret": { type: "boolean", default: false },
    },
  });
  if (values.help === true) return undefined;
  if (positionals[0] === undefined || positionals.length > 1) throw new Error("Name the folder of one back-up.");
  if (values.at !== undefined && values.wal === undefined) {
    throw new Error("--at needs --wal: the folder with the log since the back-up.");
  }
  // Without its zone, a time would mean another moment on another machine.
  if (values.at !== undefined && !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(values.at)) {
    throw new Error("--at must be a time with its zone, such as 2026-11-18T12:30:00Z.");
  }
  const at = values.at === undefined ? undefined : new Date(values.at);
  if (at !== undefined && Number.isNaN(at.getTime())) throw new Error("--at is no time that exists.");
  return { folder: resolve(positionals[0]), wal: values.wal, at, withoutSecret: values["without-secret"] };
}

/** Everything that can be refused before the target is touched. */
async function requireRestorable(manifest: BackupManifest, wish: RestoreWish, site: StoreLocation): Promise<void> {
  await requireKnownMigrations(manifest.migrations);
  if (manifest.kind === "files" && site.databaseUrl !== undefined) {
    throw new StartupError(
      "This back-up holds the files of the embedded PostgreSQL. Restore it into a data folder (unset DATABASE_URL), then copy it with `trunkline backup --rows`.",
    );
  }
  if (manifest.kind === "rows" && wish.wal !== undefined) {
    throw new StartupError(
      "This back-up holds the rows of one moment and can't be rolled forward. Leave --wal out, or restore a back-up of files.",
    );
  }
  if (wish.at !== undefined && wish.at < manifest.takenAt) {
    throw new StartupError(
      `This back-up was complete at ${manifest.takenAt.toISOString()}, later than --at. Choose an earlier back-up.`,
    );
  }
  await requireSecret(manifest, wish, site);
  if (site.databaseUrl === undefined) {
    if (manifest.kind === "files") await requireNoStore(site.dataDir);
    // A back-up of rows is without indexes, which take about as much as the rows, and without PostgreSQL's own files.
    const bytes = unpackedBytes(manifest);
    const needed = manifest.kind === "files" ? 1.1 * bytes : EMPTY_CLUSTER_BYTES + 2 * bytes;
    await requireSpace(await nearestFolder(site.dataDir), needed);
  }
  for (const file of filesOf(manifest)) {
    const damage = await findDamage(join(wish.folder, CONTENT), file);
    if (damage !== undefined) {
      throw new StartupError(
        `The back-up is damaged: ${file.path}.gz is not as it was written (${damage}). Nothing was restored.`,
      );
    }
  }
}

async function requireSecret(manifest: BackupManifest, wish: RestoreWish, site: StoreLocation): Promise<void> {
  if (manifest.secret === null || wish.withoutSecret) return;
  const secret = await readSecret(site);
  if (secret !== undefined && fingerprintOf(secret) === manifest.secret) return;
  const trouble =
    secret === undefined
      ? "The secret of the service is missing"
      : "This is another secret than the one of the back-up";
  const place = site.databaseUrl === undefined ? `, or put its file \`secret\` into ${site.dataDir}` : "";
  throw new StartupError(
    `${trouble}: without it the providers' credentials, webhooks' secrets, second factors and kept responses can't be read. Set TRUNKLINE_SECRET to it${place}.`,
  );
}

async function restore(
  manifest: BackupManifest,
  { folder, wal, at }: RestoreWish,
  site: StoreLocation,
  out: (line: string) => void,
): Promise<LedgerAudit> {
  if (site.otherDatabaseUrls.length > 0)
    throw new StartupError("Accounts are on several databases. Restore each of them with PostgreSQL's own tools.");
  const content = join(folder, CONTENT);
  const { dataDir, databaseUrl, walArchive } = site;
  if (manifest.kind === "files") {
    const rollForward: RollForward | undefined = wal === undefined ? undefined : { archive: wal, until: at };
    const { folders, files, postgres } = manifest;
    await restoreCluster({ dataDir, source: content, folders, files, majorVersion: postgres, rollForward, walArchive });
  }
  const fill = async (address: DatabaseAddress) => {
    const database = openDatabase(address, () => undefined);
    try {
      if (manifest.kind === "rows") {
        await requireEmptyDatabase(database);
        await importDatabase(database, content, { ...manifest, exportedAt: manifest.takenAt });
      }
      await migrate(database);
      const until = at ?? (wal === undefined ? manifest.takenAt : undefined);
      out(`The data is restored${until === undefined ? "" : `, as of ${until.toISOString()}`}. Its ledger is audited:`);
      return await auditLedger(database);
    } finally {
      await database.close();
    }
  };
  if (databaseUrl !== undefined) return fill({ connectionString: databaseUrl });
  const embedded = await startEmbeddedPostgres({ dataDir, walArchive, log: () => undefined });
  return fill(embedded.connection).finally(() => embedded.stop());
}

/** The folder itself, or the nearest one above it that exists. */
async function nearestFolder(path: string): Promise<string> {
  return stat(path).then(
    () => path,
    () => nearestFolder(dirname(path)),
  );
}
