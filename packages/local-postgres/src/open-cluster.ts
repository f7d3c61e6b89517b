import { clearUnfinished, placesIn, takeFilled, unfinishedBeside } from "./cluster-places.ts";
import type { ClusterSite } from "./cluster-site.ts";
import { exists, renameForGood } from "./entries.ts";
import { EmbeddedPostgresError } from "./errors.ts";
import { findKeptPrograms } from "./kept-programs.ts";
import { makeCluster, readMajorVersion } from "./make-cluster.ts";
import { stopLeftover } from "./orphaned-server.ts";
import type { CopyDatabase } from "./upgrade-cluster.ts";

/** The cluster's folder, ready for the programs: made on the first start, brought over where an older version wrote it. */
export async function openCluster(site: ClusterSite, copyDatabase?: CopyDatabase): Promise<string> {
  const { folder, binaries } = site;
  const { home } = folder;
  const { cluster } = placesIn(home);
  await takeFilled(home);
  await clearUnfinished(home, (leftover) => stopLeftover(leftover, binaries));
  if (!(await exists(cluster))) {
    const unfinished = unfinishedBeside(cluster);
    await makeCluster(unfinished, { ...site, account: folder.account });
    await renameForGood(unfinished, cluster);
    return cluster;
  }
  const version = await readMajorVersion(cluster);
  if (version !== binaries.majorVersion) await upgrade(site, copyDatabase, cluster, version);
  return cluster;
}

async function upgrade(
  site: ClusterSite,
  copyDatabase: CopyDatabase | undefined,
  cluster: string,
  version: string,
): Promise<void> {
  const { binaries, folder } = site;
  const trouble =
    `The data in ${cluster} was written by PostgreSQL ${version}, and this gateway brings PostgreSQL ` +
    `${binaries.majorVersion}`;
  const isOlder = Number(version) < Number(binaries.majorVersion);
  const programs = isOlder ? await findKeptPrograms(folder.home, version) : undefined;
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
