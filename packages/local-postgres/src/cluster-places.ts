import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { exists, renameDurably } from "./entries.ts";

/** Where a home keeps what. */
export interface ClusterPaths {
  /** The data. It gets this name only when it is complete, so whatever bears it is data and is never deleted. */
  readonly cluster: string;
  /** What only an upgrade needs, to be cleared away by whoever finds it. */
  readonly upgrade: string;
  /** The rows on their way from one server to the other. */
  readonly rows: string;
  /** The new cluster once all is in it; before, it has a name of its own each time, see `unfinishedBeside`. */
  readonly upgraded: string;
}

export function clusterPathsIn(home: string): ClusterPaths {
  const upgrade = join(home, "upgrade");
  return {
    cluster: join(home, "cluster"),
    upgrade,
    rows: join(upgrade, "rows"),
    upgraded: join(upgrade, "cluster"),
  };
}

const UNFINISHED_INFIX = ".unfinished-";

/** A new name for a cluster in the making: an initdb whose gateway was killed may still write under the one before. */
export function newUnfinishedPath(cluster: string): string {
  return `${cluster}${UNFINISHED_INFIX}${randomBytes(4).toString("hex")}`;
}

/** Clears away what a killed start has left half made. */
export async function clearUnfinished(
  home: string,
  stopServer: (cluster: string) => Promise<void>,
): Promise<void> {
  const { cluster, upgrade } = clusterPathsIn(home);
  for (const name of await readdir(home)) {
    if (!name.startsWith(`${basename(cluster)}${UNFINISHED_INFIX}`)) continue;
    // An initdb may still be at it: what resists today goes at the next start.
    await rm(join(home, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
  if (!(await exists(upgrade))) return;
  for (const name of await readdir(upgrade)) await stopServer(join(upgrade, name));
  await rm(upgrade, { recursive: true, force: true, maxRetries: 10 });
}

/** Sets the old cluster aside. Whoever is killed before the next step finds no cluster, but a filled one to take. */
export async function archiveCluster(home: string, majorVersion: string): Promise<void> {
  const names = new Set(await readdir(home));
  let name = `cluster-${majorVersion}`;
  // A cluster of that version may be there already, where somebody went back to it and upgrades once more.
  for (let count = 2; names.has(name); count++) name = `cluster-${majorVersion}-${count}`;
  await renameDurably(clusterPathsIn(home).cluster, join(home, name));
}

/** Puts the filled cluster in the place of the one that was set aside, also for an upgrade that was killed between the two. */
export async function activateUpgraded(home: string): Promise<void> {
  const { cluster, upgraded: filled } = clusterPathsIn(home);
  if ((await exists(cluster)) || !(await exists(filled))) return;
  await renameDurably(filled, cluster);
}

/** What to tell people of clusters that were set aside. */
export async function archivedClusterNotes(home: string): Promise<string[]> {
  const names = (await readdir(home)).filter((name) => /^cluster-\d+(-\d+)?$/.test(name));
  return names.map(
    (name) =>
      `The data was brought over from PostgreSQL ${/\d+/.exec(name)?.[0]}. The old files are kept in ` +
      `${join(home, name)}; delete that folder when you won't go back to them.`,
  );
}
