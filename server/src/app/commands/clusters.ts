import { parseArgs } from "node:util";
import { formatCredits } from "@trunkline/core/money.ts";
import { ClusterDirectory } from "../../store/clusters/cluster-directory.ts";
import type { Cluster } from "../../store/clusters/cluster-registry.ts";
import { MoveRefused } from "../../store/clusters/move-account.ts";
import type { StoreLocation } from "../config/config.ts";
import { messageOf, withClusters } from "./with-store.ts";

const HELP = `Shows the clusters of DATABASE_URLS, and moves accounts between them while the service runs.

  trunkline clusters
  trunkline clusters move <account id> <number>

An account spends on one cluster; what it has spent before stays where it was and is read from there. A move takes milliseconds: requests that begin
meanwhile get 503 with Retry-After, running ones end where they began. The home cluster has number 1.
Ends with 0, with 1 where an account can't be moved, and with 2 where the databases can't be reached or the arguments are wrong.`;

/** `trunkline clusters`: prints the clusters, or moves an account. Returns the exit code. */
export async function clustersCommand(
  args: readonly string[],
  readSite: () => StoreLocation,
  out: (line: string) => void,
): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { type: "boolean", short: "h" } },
    });
    const [word, accountId = "", number = ""] = positionals;
    if (values.help === true) {
      out(HELP);
      return 0;
    }
    const isMove = word === "move" && /^[0-9a-f-]{36}$/.test(accountId) && /^[1-9]\d{0,3}$/.test(number);
    if (word !== undefined && (!isMove || positionals.length > 3)) {
      out(`These arguments are not understood.\n\n${HELP}`);
      return 2;
    }
    const site = readSite();
    if (site.otherDatabaseUrls.length === 0) {
      out("There is one database. Name several in DATABASE_URLS to place accounts on them.");
      return 2;
    }
    return await withClusters(site, (clusters) =>
      isMove ? move(clusters, accountId, Number(number), out) : list(clusters, out),
    );
  } catch (error) {
    if (error instanceof MoveRefused) {
      out(error.message);
      return 1;
    }
    out(messageOf(error));
    return 2;
  }
}

async function move(
  clusters: readonly Cluster[],
  accountId: string,
  to: number,
  out: (line: string) => void,
): Promise<number> {
  const { from, moved } = await new ClusterDirectory(clusters).move(accountId, to);
  out(
    `The account has moved from cluster ${from} to cluster ${to}, with ${formatCredits(moved)}. What instances have leased follows within seconds.`,
  );
  return 0;
}

async function list(clusters: readonly Cluster[], out: (line: string) => void): Promise<number> {
  for (const { number, isHome, figures } of await new ClusterDirectory(clusters).list()) {
    const name = `Cluster ${number}${isHome ? " (home)" : ""}`;
    if (figures === undefined) {
      out(`${name}: away`);
      continue;
    }
    const { accounts, balances, bytes, underWay } = figures;
    const gigabytes = (Number(bytes) / 1e9).toFixed(1);
    out(
      `${name}: ${accounts} accounts, ${formatCredits(balances)} of balances, ${gigabytes} GB${underWay > 0n ? `, ${formatCredits(underWay)} on the way to others` : ""}`,
    );
  }
  return 0;
}
