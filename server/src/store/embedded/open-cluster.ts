import { clearUnfinished, placesIn, takeFilled, unfinishedBeside } from "./cluster-places.ts";
import type { ClusterSite } from "./cluster-site.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { exists, renameForGood } from "./entries.ts";
import { makeCluster, readMajorVersion } from "./make-cluster.ts";
import { stopLeftover } from "./stop-leftover.ts";

/** The cluster's folder, ready for the programs: made on the first start, brought over where an older version wrote it. */
export async function openCluster(site: ClusterSite): Promise<string> {
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
  if (version !== binaries.majorVersion) await refuse(site, cluster, version);
  return cluster;
}

/** The programs of one major version can't read what another one wrote. */
async function refuse({ binaries }: ClusterSite, cluster: string, version: string): Promise<never> {
  throw new EmbeddedPostgresError(
    `The data in ${cluster} was written by PostgreSQL ${version}, and this gateway brings PostgreSQL ` +
      `${binaries.majorVersion}. The data is untouched: start it with the gateway version that wrote it.`,
  );
}
