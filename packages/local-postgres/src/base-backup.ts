import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gzipSync } from "node:zlib";
import { Client } from "pg";
import type { Connection } from "./connection.ts";
import { EmbeddedPostgresError, errnoOf } from "./errors.ts";

/** A file of a back-up: its path in the cluster, and its content before it was compressed. */
export interface BackedUpFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What a base back-up holds. */
export interface BaseBackup {
  /** The server's time at its end: it can be rolled forward to any later moment. */
  readonly finishedAt: Date;
  readonly walStart: string;
  readonly walEnd: string;
  readonly folders: readonly string[];
  readonly files: readonly BackedUpFile[];
}

/** Files are compressed two at a time: the server beside it has requests to serve. */
const CONCURRENCY = 2;

/**
 * Copies the files of a running cluster into `target`, compressed. The server writes whole pages to its log while the copy
 * lasts, so that files which change under it are mended when the log is replayed; a slot of this session keeps that log.
 */
export async function takeBaseBackup(connection: Connection, cluster: string, target: string): Promise<BaseBackup> {
  const client = new Client({ ...connection, application_name: "trunkline backup" });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query("SET statement_timeout = 0; SET timezone = 'UTC'");
    await client.query("SELECT pg_create_physical_replication_slot($1, true, true)", [
      `trunkline_backup_${process.pid}`,
    ]);
    const started = await client.query<{ lsn: string; file: string }>(
      "SELECT lsn::text, pg_walfile_name(lsn) AS file FROM pg_backup_start('trunkline', true) AS lsn",
    );
    const { folders, paths } = await listCluster(cluster);
    for (const folder of folders) await mkdir(join(target, folder), { recursive: true });
    const files = await copyFiles(cluster, target, paths);
    files.push(await copyControlFile(cluster, target));
    const ended = await client.query<{ lsn: string; file: string; label: string; time: Date }>(
      `SELECT lsn::text, pg_walfile_name(lsn) AS file, labelfile AS label, clock_timestamp() AS time
       FROM pg_backup_stop(wait_for_archive => false)`,
    );
    const [from, to] = [started.rows[0], ended.rows[0]];
    if (from === undefined || to === undefined) throw new Error("PostgreSQL did not say where its log begins and ends");
    files.push(await writeCompressed(target, "backup_label", Buffer.from(to.label)));
    files.push(...(await copyFiles(cluster, target, await listLog(cluster, from.file, to.file))));
    return { finishedAt: to.time, walStart: from.lsn, walEnd: to.lsn, folders, files };
  } finally {
    // Ends an unfinished back-up, and the slot goes with its session.
    await client.end();
  }
}

const CONTROL_FILE = "global/pg_control";

/** What belongs to the running server alone, or is made again by the start. */
const LEFT_OUT = new Set([
  "postmaster.pid",
  "postmaster.opts",
  "backup_label",
  "tablespace_map",
  "recovery.signal",
  "standby.signal",
  "current_logfiles",
  // Copied last, and in one piece.
  CONTROL_FILE,
]);
const EMPTIED = new Set([
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
]);
async function listCluster(cluster: string): Promise<{ folders: string[]; paths: string[] }> {
  const folders: string[] = ["pg_wal/archive_status", "pg_wal/summaries"];
  const paths: string[] = [];
  async function walk(folder: string): Promise<void> {
    for (const entry of await readdir(join(cluster, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isSymbolicLink()) {
        const place = await readlink(join(cluster, path));
        throw new EmbeddedPostgresError(
          `The data has a part elsewhere (${path} links to ${place}), which this back-up can't hold. Use --rows.`,
        );
      }
      if (entry.isDirectory()) {
        if (entry.name.startsWith("pgsql_tmp")) continue;
        folders.push(path);
        if (!EMPTIED.has(path)) await walk(path);
      } else if (entry.isFile()) {
        const isTemporary = entry.name.startsWith("pgsql_tmp") || /^t\d+_\d+/.test(entry.name);
        if (isTemporary || entry.name.startsWith("pg_internal.init")) continue;
        if (!LEFT_OUT.has(path)) paths.push(path);
      }
    }
  }
  await walk("");
  return { folders, paths };
}

/** The segments of the log from one to another; names sort in the order in which they were written. */
async function listLog(cluster: string, first: string, last: string): Promise<string[]> {
  const names = (await readdir(join(cluster, "pg_wal"))).filter((name) => /^[0-9A-F]{24}$/.test(name));
  const segments = names.filter((name) => name >= first && name <= last).toSorted();
  if (segments[0] !== first || segments.at(-1) !== last) throw new Error("a part of PostgreSQL's log is missing");
  return segments.map((name) => `pg_wal/${name}`);
}

async function copyFiles(cluster: string, target: string, paths: readonly string[]): Promise<BackedUpFile[]> {
  const waiting = paths.toReversed();
  const files: BackedUpFile[] = [];
  async function work(): Promise<void> {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const file = await copyFile(cluster, target, path);
      if (file !== undefined) files.push(file);
    }
  }
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  } finally {
    waiting.length = 0;
  }
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** undefined: the file was deleted meanwhile, and the log knows of it. */
async function copyFile(cluster: string, target: string, path: string): Promise<BackedUpFile | undefined> {
  const handle = await open(join(cluster, path), "r").catch((error: unknown) => {
    if (errnoOf(error) === "ENOENT") return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  const hash = createHash("sha256");
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  const stored = join(target, `${path}.gz`);
  await pipeline(
    createReadStream("", { fd: handle, highWaterMark: 1 << 18 }),
    count,
    createGzip({ level: 1 }),
    createWriteStream(stored, { flags: "wx", mode: 0o600, flush: true }),
  );
  return { path, bytes, sha256: hash.digest("hex") };
}

/** Too small to be seen half written twice in a row with the same content. */
async function copyControlFile(cluster: string, target: string): Promise<BackedUpFile> {
  for (;;) {
    const [one, other] = [await readFile(join(cluster, CONTROL_FILE)), await readFile(join(cluster, CONTROL_FILE))];
    if (one.equals(other)) return writeCompressed(target, CONTROL_FILE, one);
  }
}

async function writeCompressed(target: string, path: string, content: Buffer): Promise<BackedUpFile> {
  const stored = join(target, `${path}.gz`);
  await mkdir(dirname(stored), { recursive: true });
  await writeFile(stored, gzipSync(content), { flag: "wx", mode: 0o600, flush: true });
  return { path, bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
}
