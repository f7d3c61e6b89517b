import { readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Binaries, binariesIn } from "./binaries.ts";
import { copyBinaries, UNFINISHED_MARK } from "./copy-programs.ts";
import { exists } from "./entries.ts";
import type { Account } from "./find-barrier.ts";

const PREFIX = "binaries-";
/** A data folder may be carried to a machine of another kind, where these programs don't run. */
const PLATFORM = `-${process.platform}-${process.arch}`;

/** Where the data folder keeps the programs of a version. */
export function retainedBinariesFolder(home: string, version: string): string {
  return join(home, `${PREFIX}${version}${PLATFORM}`);
}

/** The programs of a major version that an earlier start has kept in the data folder. */
export async function findRetainedBinaries(
  home: string,
  majorVersion: string,
): Promise<Binaries | undefined> {
  const newest = (await readdir(home))
    .filter((name) => name.startsWith(`${PREFIX}${majorVersion}.`) && name.endsWith(PLATFORM))
    .toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }))
    .at(-1);
  if (newest === undefined) return undefined;
  return binariesIn(join(home, newest, "native"), newest.slice(PREFIX.length, -PLATFORM.length));
}

/**
 * Finds, later, the programs that are in use now: an update of the packages may have put others in their place, or none
 * yet. The copy that the data folder keeps of this very version stands in for them.
 */
export async function createBinariesResolver(
  home: string,
  binaries: Binaries,
): Promise<() => Promise<Binaries>> {
  const identify = () => stat(binaries.postgres).then(({ ino, mtimeMs }) => `${ino} ${mtimeMs}`);
  const before = await identify();
  return async () => {
    const now = await identify().catch(() => undefined);
    const kept = retainedBinariesFolder(home, binaries.version);
    if (now === before || !(await exists(kept))) return binaries;
    return binariesIn(join(kept, "native"), binaries.version);
  };
}

/** The start has better things to do with the disk. */
const RETAIN_DELAY_MS = 2_000;

/**
 * Keeps in the data folder the programs that run its cluster, because a later version of the gateway brings others, and
 * those can't read it. Done behind the back of the service, a while after the start.
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
      if (!(await exists(target)))
        await copyBinaries(binaries.native, target, { account, concurrency: 1, signal });
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

/** Removes what no cluster in the folder needs. What another user has put there, and we can't remove, does no harm. */
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
