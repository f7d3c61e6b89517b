import { activateUpgraded, clearUnfinished, clusterPathsIn, newUnfinishedPath } from "./cluster-places.ts";
import type { ClusterOptions } from "./cluster-site.ts";
import { exists, renameDurably } from "./entries.ts";
import { EmbeddedPostgresError } from "./errors.ts";
import { findRetainedBinaries } from "./kept-programs.ts";
import { createCluster, readMajorVersion } from "./make-cluster.ts";
import { stopOrphanedServer } from "./orphaned-server.ts";
import type { CopyDatabase } from "./upgrade-cluster.ts";

/** The cluster's folder, ready for the programs: made on the first start, brought over where an older version wrote it. */
export async function openCluster(site: ClusterOptions, copyDatabase?: CopyDatabase): Promise<string> {
  const { folder, binaries } = site;
  const { home } = folder;
  const { cluster } = clusterPathsIn(home);
  await activateUpgraded(home);
  await clearUnfinished(home, (leftover) => stopOrphanedServer(leftover, binaries));
  if (!(await exists(cluster))) {
    const unfinished = newUnfinishedPath(cluster);
    await createCluster(unfinished, { ...site, account: folder.account });
    await renameDurably(unfinished, cluster);
    return cluster;
  }
  const version = await readMajorVersion(cluster);
  if (version !== binaries.majorVersion) await upgradeIfAllowed(site, copyDatabase, cluster, version);
  return cluster;
}

async function upgradeIfAllowed(
  site: ClusterOptions,
  copyDatabase: CopyDatabase | undefined,
  cluster: string,
  version: string,
): Promise<void> {
  const { binaries, folder } = site;
  const trouble =
    `The data in ${cluster} was written by PostgreSQL ${version}, and this gateway brings PostgreSQL ` +
    `${binaries.majorVersion}`;
  const isOlder = Number(version) < Number(binaries.majorVersion);
  const programs = isOlder ? await findRetainedBinaries(folder.home, version) : undefined;
  if (programs === undefined) {
    const reason = isOlder
      ? `, without the programs of PostgreSQL ${version} beside the data to read it`
      : "";
    throw new EmbeddedPostgresError(
      `${trouble}${reason}. The data is untouched: start it with the gateway version that wrote it.`,
    );
  }
  if (copyDatabase === undefined) {
    throw new EmbeddedPostgresError(`${trouble}. Start the service once; it brings the data over.`);
  }
  const { upgradeCluster } = await import("./upgrade-cluster.ts");
  await upgradeCluster({ ...site, programs, copyDatabase });
}
