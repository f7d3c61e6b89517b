import type { DailyCharge, StatementsReader, StatementsSnapshot } from "../../ledger/billing/statements-reader.ts";

/** Statements of an account whose payments are at home and whose charges are on one or several clusters. */
export class ClusterStatementsReader implements StatementsReader {
  readonly #home: StatementsReader;
  readonly #chargesOf: (accountId: string) => readonly StatementsReader[];

  /** `chargesOf`: the readers of the clusters that an account has spent on, and home, each once. */
  constructor(home: StatementsReader, chargesOf: (accountId: string) => readonly StatementsReader[]) {
    this.#home = home;
    this.#chargesOf = chargesOf;
  }

  open<Result>(
    account: { readonly accountId: string; readonly timeZone: string },
    read: (snapshot: StatementsSnapshot) => Promise<Result>,
  ): Promise<Result> {
    const openAll = (
      [next, ...rest]: readonly StatementsReader[],
      snapshots: readonly StatementsSnapshot[],
    ): Promise<Result> =>
      next === undefined
        ? this.#home.open(account, (home) => read(merge(home, snapshots)))
        : next.open(account, (snapshot) => openAll(rest, [...snapshots, snapshot]));
    return openAll(this.#chargesOf(account.accountId), []);
  }
}

function merge(home: StatementsSnapshot, snapshots: readonly StatementsSnapshot[]): StatementsSnapshot {
  const sum = async (read: (snapshot: StatementsSnapshot) => Promise<bigint>) => {
    let total = 0n;
    for (const snapshot of snapshots) total += await read(snapshot);
    return total;
  };
  const collect = async <Item>(read: (snapshot: StatementsSnapshot) => Promise<readonly Item[]>) => {
    const items: Item[] = [];
    for (const snapshot of snapshots) items.push(...(await read(snapshot)));
    return items;
  };
  return {
    movements: () => home.movements(),
    async dailyCharges() {
      const days = new Map<string, DailyCharge>();
      for (const charge of await collect((snapshot) => snapshot.dailyCharges())) {
        const known = days.get(charge.day);
        days.set(charge.day, {
          day: charge.day,
          requests: charge.requests + (known?.requests ?? 0),
          cost: charge.cost + (known?.cost ?? 0n),
        });
      }
      return [...days.values()].toSorted((one, other) => (one.day < other.day ? -1 : 1));
    },
    async charges(filter, limit) {
      const charges = await collect((snapshot) => snapshot.charges(filter, limit));
      return charges.toSorted((one, other) => (one.requestId < other.requestId ? 1 : -1)).slice(0, limit);
    },
    totalChargedBelow: (requestId) => sum((snapshot) => snapshot.totalChargedBelow(requestId)),
    totalCharged: (timeSpan) => sum((snapshot) => snapshot.totalCharged(timeSpan)),
    async totalChargedBy(part, timeSpan) {
      const shares = await collect((snapshot) => snapshot.totalChargedBy(part, timeSpan));
      const merged = new Map<string, (typeof shares)[number]>();
      for (const share of shares) {
        const known = merged.get(share.id);
        merged.set(share.id, {
          id: share.id,
          name: share.name ?? known?.name,
          requests: share.requests + (known?.requests ?? 0),
          cost: share.cost + (known?.cost ?? 0n),
        });
      }
      return [...merged.values()].toSorted((one, other) =>
        one.cost === other.cost ? (one.id < other.id ? -1 : 1) : one.cost > other.cost ? -1 : 1,
      );
    },
    balance: () => sum((snapshot) => snapshot.balance()),
  };
}
