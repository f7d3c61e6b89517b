import type { Database } from "../database/database.ts";
import type { Row } from "../database/rows.ts";
import { HOME } from "./cluster-registry.ts";

/** Where an account spends, and where else it has records. */
export interface Placement {
  readonly cluster: number;
  readonly past: readonly number[];
}

const AT_HOME: Placement = { cluster: HOME, past: [] };

/**
 * The directory of accounts, in memory. It may be out of date for a moment: the clusters themselves refuse what an account
 * that has left wants to begin.
 */
export class Placements {
  readonly #home: Database;
  readonly #onMoved: (accountId: string, from: number) => void;
  #placements: ReadonlyMap<string, Placement> = new Map();
  #loading: Promise<void> | undefined;
  #isStale = false;

  /** `onMoved` is called for each account that spends elsewhere since the last reading. */
  constructor(home: Database, onMoved: (accountId: string, from: number) => void = () => undefined) {
    this.#home = home;
    this.#onMoved = onMoved;
  }

  of(accountId: string): Placement {
    return this.#placements.get(accountId) ?? AT_HOME;
  }

  /** The clusters where an account has records or money besides the one where it spends. Payments arrive at home. */
  othersOf(accountId: string): readonly number[] {
    const { cluster, past } = this.of(accountId);
    return cluster === HOME || past.includes(HOME) ? past : [HOME, ...past];
  }

  /** The accounts of `ids` that have, or may have, something on another cluster than home. */
  awayFromHome(ids: Iterable<string>): string[] {
    return [...ids].filter((id) => this.#placements.has(id));
  }

  /** Every account that has ever been moved. */
  all(): ReadonlyMap<string, Placement> {
    return this.#placements;
  }

  /** Reads the directory. Callers that come while it is read get a reading that began after their call. */
  reload(): Promise<void> {
    if (this.#loading !== undefined) {
      this.#isStale = true;
      return this.#loading;
    }
    this.#loading = this.#read().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #read(): Promise<void> {
    do {
      this.#isStale = false;
      const rows = await this.#home.query<Row<"placements", "account_id" | "cluster" | "past">>(
        "SELECT account_id, cluster, past FROM placements",
      );
      const before = this.#placements;
      this.#placements = new Map(rows.map(({ account_id: id, cluster, past }) => [id, { cluster, past }]));
      for (const [id, { cluster }] of this.#placements) {
        const from = before.get(id)?.cluster ?? HOME;
        if (from !== cluster) this.#onMoved(id, from);
      }
    } while (this.#isStale);
  }
}
