import { randomUUID } from "node:crypto";
import { StartupError } from "@trunkline/core/fault.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Row } from "../database/rows.ts";

/** The number of the cluster that has everything which accounts share. */
export const HOME = 1;

/** The number of an advisory lock: of two instances that start at once, one registers new clusters. */
const REGISTRATION_LOCK = 7_215_733_010;

/** A cluster, and the number by which accounts are placed on it. */
export interface Cluster<Store = Database> {
  readonly number: number;
  readonly database: Store;
}

type Identity = Row<"cluster_identity", "number" | "id" | "home_id">;

/**
 * Finds out which cluster each database is, whatever the order of their addresses, and registers those that are new. The
 * first one is the home cluster. Refuses what does not belong together.
 */
export async function identifyClusters(databases: readonly Database[]): Promise<Cluster[]> {
  const [home, ...others] = databases;
  if (home === undefined) throw new Error("There is no database.");
  return home.runExclusive(REGISTRATION_LOCK, async () => {
    const homeId = await identifyHome(home);
    const clusters: Cluster[] = [{ number: HOME, database: home }];
    for (const [index, database] of others.entries()) {
      const place = index + 2;
      const identity = (await readIdentity(database)) ?? (await number(home, database, homeId, place));
      if (identity.home_id !== homeId || identity.number === HOME)
        throw new StartupError(
          `Database ${place} of DATABASE_URLS belongs to another service, or is the home cluster, which must come first.`,
        );
      if (clusters.some((cluster) => cluster.number === identity.number))
        throw new StartupError(`Database ${place} of DATABASE_URLS is named twice.`);
      await register(home, identity, place);
      clusters.push({ number: identity.number, database });
    }
    const known = await home.query<Row<"clusters", "number">>("SELECT number FROM clusters");
    const missing = known.filter(({ number }) => !clusters.some((cluster) => cluster.number === number));
    if (missing.length > 0)
      throw new StartupError(
        `DATABASE_URLS lacks ${missing.map(({ number }) => `cluster ${number}`).join(" and ")}, which accounts may be placed on.`,
      );
    return clusters.toSorted((one, other) => one.number - other.number);
  });
}

/** Refuses a database that is one of several: alone it would miss the money and the records of the accounts elsewhere. */
export async function requireSingleDatabase(database: Queryable): Promise<void> {
  const identity = await readIdentity(database);
  if (identity === undefined) return;
  if (identity.number !== HOME)
    throw new StartupError(
      `This database is cluster ${identity.number} of a service with several. Name all of them in DATABASE_URLS, the home cluster first.`,
    );
  const others = await database.query("SELECT 1 FROM clusters");
  if (others.length > 0)
    throw new StartupError(
      `Accounts may be placed on ${others.length + 1} clusters. Name all of them in DATABASE_URLS, this one first.`,
    );
}

async function readIdentity(database: Queryable): Promise<Identity | undefined> {
  const rows = await database.query<Identity>("SELECT number, id, home_id FROM cluster_identity");
  return rows[0];
}

async function identifyHome(home: Database): Promise<string> {
  const identity = await readIdentity(home);
  if (identity?.number === HOME) return identity.id;
  if (identity !== undefined)
    throw new StartupError(
      `The first database of DATABASE_URLS is cluster ${identity.number}. The home cluster must come first.`,
    );
  const id = randomUUID();
  await home.query("INSERT INTO cluster_identity (number, id, home_id) VALUES ($1, $2, $2)", [HOME, id]);
  return id;
}

/** Gives an empty database the next number, on itself: what is broken off before home knows of it goes on at the next start. */
async function number(home: Database, database: Database, homeId: string, place: number): Promise<Identity> {
  const used = await database.query("SELECT 1 FROM accounts LIMIT 1");
  if (used.length > 0)
    throw new StartupError(
      `Database ${place} of DATABASE_URLS has accounts of its own: only an empty database can be added.`,
    );
  const [next] = await home.query<{ number: number }>("SELECT coalesce(max(number), $1) + 1 AS number FROM clusters", [
    HOME,
  ]);
  const identity = { number: next?.number ?? HOME + 1, id: randomUUID(), home_id: homeId };
  await database.query("INSERT INTO cluster_identity (number, id, home_id) VALUES ($1, $2, $3)", [
    identity.number,
    identity.id,
    homeId,
  ]);
  return identity;
}

async function register(home: Database, { number, id }: Identity, place: number): Promise<void> {
  await home.query("INSERT INTO clusters (number, id) VALUES ($1, $2) ON CONFLICT DO NOTHING", [number, id]);
  const known = await home.query("SELECT 1 FROM clusters WHERE number = $1 AND id = $2", [number, id]);
  if (known.length === 0)
    throw new StartupError(
      `Database ${place} of DATABASE_URLS says that it is cluster ${number}, and the home cluster knows another one by that number.`,
    );
}
