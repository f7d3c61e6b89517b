import { parseArgs } from "node:util";
import { formatCredits } from "@trunkline/core/money.ts";
import { type Cluster, HOME } from "../../store/clusters/cluster-registry.ts";
import { ClusterTransfers } from "../../store/clusters/cluster-transfers.ts";
import { MoveRefused, moveAccount } from "../../store/clusters/move-account.ts";
import { Placements } from "../../store/clusters/placements.ts";
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
  const { from } = await moveAccount(clusters, accountId, to);
  const home = clusters.find(({ number }) => number === HOME);
  if (home === undefined) throw new Error("There is no home cluster.");
  const placements = new Placements(home.database);
  await placements.reload();
  const transfers = new ClusterTransfers(clusters);
  let moved = 0n;
  for (const other of placements.othersOf(accountId)) moved += await transfers.move("customer", accountId, other, to);
  out(
    `The account has moved from cluster ${from} to cluster ${to}, with ${formatCredits(moved)}. What instances have leased follows within seconds.`,
  );
  return 0;
}

async function list(clusters: readonly Cluster[], out: (line: string) => void): Promise<number> {
  for (const { number, database } of clusters) {
    const [row] = await database.query<{ bytes: bigint; balances: bigint; spending: bigint; under_way: bigint }>(
      `SELECT pg_database_size(current_database()) AS bytes,
         (SELECT coalesce(sum(balance), 0)::bigint FROM ledger_accounts WHERE kind IN ('customer', 'lease')) AS balances,
         (SELECT count(*) FROM accounts WHERE left_at IS NULL) AS spending,
         (SELECT coalesce(sum(amount), 0)::bigint FROM cluster_transfers WHERE side = 'out' AND arrived_at IS NULL) AS under_way`,
    );
    if (row === undefined) continue;
    const gigabytes = (Number(row.bytes) / 1e9).toFixed(1);
    out(
      `Cluster ${number}${number === HOME ? " (home)" : ""}: ${row.spending} accounts, ${formatCredits(row.balances)} of balances, ${gigabytes} GB${row.under_way > 0n ? `, ${formatCredits(row.under_way)} on the way to others` : ""}`,
    );
  }
  return 0;
}
