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

/** The paths of the programs, and their version. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  /** The folder that holds bin, lib and share. */
  readonly native: string;
  readonly version: string;
  readonly majorVersion: string;
}

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
 * npm packages can't hold links, so this one lists them for an install script, which we do not run. False: the folder
 * is read-only.
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

/** Part of the name of an incomplete copy. */
export const UNFINISHED_MARK = ".unfinished-";

interface CopyOptions {
  /** The account that runs them; undefined: the current user. */
  readonly account: Account | undefined;
  /** How many files are copied at once. */
  readonly concurrency: number;
  readonly signal?: AbortSignal;
}

/**
 * Copies the programs to `target`, where they stay when the package is removed. Hard links are used where possible, so
 * that the copy takes no space. Returns the folder of the copy.
 */
export async function copyBinaries(native: string, target: string, options: CopyOptions): Promise<string> {
  // An interrupted copy must not look complete, so it gets its final name only at the end.
  const unfinished = `${target}${UNFINISHED_MARK}${randomBytes(4).toString("hex")}`;
  try {
    await makeReadableFolder(unfinished, options.account);
    const copy = join(unfinished, "native");
    const files = await prepareFolders(native, copy, options.account);
    const folders = new Set([unfinished, copy, ...files.map(({ to }) => dirname(to))]);
    await Promise.all(Array.from({ length: options.concurrency }, () => placeFiles(files, options)));
    await ensureLinks(copy);
    for (const folder of folders) await syncPath(folder);
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

/** Only needed to build C programs. */
const BUILD_ONLY = /^(include|pgxs|pkgconfig|.*\.(a|lib))$/;

/** Creates the folders and lists the files. Links are skipped, because they are created again. */
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

/** Copies files from the list until it is empty. A failure empties it. */
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

/** Every account may enter, independently of our umask, and the owner of the data can delete it. */
async function makeReadableFolder(folder: string, account: Account | undefined): Promise<void> {
  await mkdir(folder);
  await chmod(folder, 0o755);
  if (account !== undefined && process.getuid?.() === 0) await chown(folder, account.uid, account.gid);
}

async function linkOrCopy(from: string, to: string, account: Account | undefined): Promise<void> {
  // What a link points to is on the disk already, and its name comes there with its folder.
  if ((await isUsableBy(from, account)) && (await tryLink(from, to))) return;
  await copyFile(from, to);
  await chmod(to, 0o755);
  await syncPath(to);
}

/** Windows syncs only writable files, and no folders. */
async function syncPath(path: string): Promise<void> {
  const isWindows = process.platform === "win32";
  if (isWindows && (await stat(path)).isDirectory()) return;
  const opened = await open(path, isWindows ? "r+" : "r");
  await opened.sync().finally(() => opened.close());
}

/** A hard link shares the mode of the package's file, which must not change. */
async function isUsableBy(path: string, account: Account | undefined): Promise<boolean> {
  if (account === undefined) return true;
  const { mode } = await stat(path);
  const needed = (mode & 0o100) === 0 ? 0o4 : 0o5;
  return (mode & needed) === needed;
}

/** False: not possible, for example on another disk, for a file of another account, or without hard links. */
function tryLink(from: string, to: string): Promise<boolean> {
  return link(from, to).then(
    () => true,
    () => false,
  );
}
