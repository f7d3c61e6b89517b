import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import {
  chmod,
  chown,
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { errnoOf } from "./errors.ts";
import type { Account } from "./file-system.ts";

/** Where the programs are, and which PostgreSQL they are. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  /** The folder with all that they need: bin, lib and share. */
  readonly native: string;
  readonly version: string;
  readonly majorVersion: string;
}

/** The programs in a folder of that layout. */
export function binariesIn(native: string, version: string): Binaries {
  const suffix = process.platform === "win32" ? ".exe" : "";
  const programAt = (name: string) => join(native, "bin", `${name}${suffix}`);
  return {
    initdb: programAt("initdb"),
    postgres: programAt("postgres"),
    pgCtl: programAt("pg_ctl"),
    native,
    version,
    majorVersion: version.slice(0, version.indexOf(".")),
  };
}

const linkList = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * npm packages can't hold links, so this one lists them for an install script, which we do not run. False where the
 * folder can't be written to.
 */
export async function ensureLinks(native: string): Promise<boolean> {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of linkList.parse(JSON.parse(list))) {
    const path = join(dirname(native), target);
    try {
      if (!existsSync(path)) await symlink(basename(source), path);
    } catch (error) {
      const code = errnoOf(error);
      if (code === "EACCES" || code === "EPERM" || code === "EROFS") return false;
      if (code !== "EEXIST") throw error;
    }
  }
  return true;
}

/** What a copy that is not complete has in its name. */
export const UNFINISHED_MARK = ".unfinished-";

interface CopyOptions {
  /** Who is to run them; undefined is the current user. */
  readonly account: Account | undefined;
  /** How many files are worked on at once. */
  readonly concurrency: number;
  readonly signal?: AbortSignal;
}

/**
 * Puts a second copy of the programs into `target`, where they last whatever becomes of the first: as links to the same
 * files where that can be done, so that it takes no space. Returns the copy's own folder.
 */
export async function copyBinaries(native: string, target: string, options: CopyOptions): Promise<string> {
  // A copy that was cut short must not pass for a whole one, hence the name that changes only at the end.
  const unfinished = `${target}${UNFINISHED_MARK}${randomBytes(4).toString("hex")}`;
  try {
    await makeReadableFolder(unfinished, options.account);
    const copy = join(unfinished, "native");
    const files = await prepareFolders(native, copy, options.account);
    await Promise.all(Array.from({ length: options.concurrency }, () => placeFiles(files, options)));
    await ensureLinks(copy);
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
  return join(target, "native");
}

interface FileCopy {
  readonly from: string;
  readonly to: string;
}

/** For building C programs: running these takes none of it. */
const BUILD_ONLY = /^(include|pgxs|pkgconfig|.*\.(a|lib))$/;

/** Makes the folders and lists the files. Links are left out, they are made anew. */
async function prepareFolders(source: string, target: string, account: Account | undefined): Promise<FileCopy[]> {
  await makeReadableFolder(target, account);
  const files: FileCopy[] = [];
  for (const entry of await readdir(source, { withFileTypes: true })) {
    if (BUILD_ONLY.test(entry.name)) continue;
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) files.push(...(await prepareFolders(from, to, account)));
    else if (entry.isFile()) files.push({ from, to });
  }
  return files;
}

/** Takes files from the list until it is empty, and empties it where one fails. */
async function placeFiles(files: FileCopy[], { account, signal }: CopyOptions): Promise<void> {
  try {
    for (let file = files.pop(); file !== undefined; file = files.pop()) {
      signal?.throwIfAborted();
      await linkOrCopy(file.from, file.to, account);
    }
  } catch (error) {
    files.length = 0;
    throw error;
  }
}

/** Every account may pass, whatever our umask is; and whoever owns the data can clear it away. */
async function makeReadableFolder(folder: string, account: Account | undefined): Promise<void> {
  await mkdir(folder);
  await chmod(folder, 0o755);
  if (account !== undefined && process.getuid?.() === 0) await chown(folder, account.uid, account.gid);
}

async function linkOrCopy(from: string, to: string, account: Account | undefined): Promise<void> {
  if (!(await isUsableBy(from, account)) || !(await tryLink(from, to))) {
    await copyFile(from, to);
    await chmod(to, 0o755);
  }
  // Windows syncs only what may be written to.
  const file = await open(to, process.platform === "win32" ? "r+" : "r");
  await file.sync().finally(() => file.close());
}

/** A link shares the file's mode, which is not ours to change. */
async function isUsableBy(path: string, account: Account | undefined): Promise<boolean> {
  if (account === undefined) return true;
  const { mode } = await stat(path);
  const needed = (mode & 0o100) === 0 ? 0o4 : 0o5;
  return (mode & needed) === needed;
}

/** False wherever it can't be done: another disk, somebody else's file, a file system without links. */
function tryLink(from: string, to: string): Promise<boolean> {
  return link(from, to).then(
    () => true,
    () => false,
  );
}
