import { setTimeout as wait } from "node:timers/promises";
import { fromCredits, type NanoCredits } from "@trunkline/core/money.ts";
import type { Database } from "../server/src/store/database/database.ts";
import { type Books, chargedTo, readBooks } from "./books.ts";
import type { BrokenPromise } from "./report.ts";
import type { Customer, Stand } from "./stand.ts";

/** How long holds and leases of the dead may stay. */
const ORPHAN_MS = 60_000;
const LOOK_MS = 200;

/** What is left when nobody asks any more: books to compare with, and what should not be there. */
export interface Aftermath {
  readonly books: Books;
  readonly broken: readonly BrokenPromise[];
}

/** Waits until nothing is held and the dead are buried, and reads the books. Every instance is up, nobody asks. */
export async function settleDown(stand: Stand, customers: readonly Customer[], credits: number): Promise<Aftermath> {
  const database = await stand.openBooks();
  try {
    const broken = [...(await awaitNoHolds(stand, customers)), ...(await awaitBurials(stand, database))];
    const books = await readBooks(database);
    return { books, broken: [...broken, ...(await checkBalances(stand, customers, credits, books))] };
  } finally {
    await database.close();
  }
}

/** Stops every instance in order, and audits what they leave. */
export async function closeBooks(stand: Stand): Promise<BrokenPromise[]> {
  const broken: BrokenPromise[] = [];
  for (const instance of stand.instances) {
    const status = await instance.stop();
    if (status !== 0)
      broken.push({ promise: "An instance stops in order.", what: `${instance.name} ended with ${status}` });
  }
  const { code, said } = await stand.audit();
  if (code !== 0) broken.push({ promise: "The audit is clean.", what: `exit code ${code}\n${said}` });
  return [...broken, ...troublesOf(stand)];
}

/** What happened to the instances that nobody did to them. */
export function troublesOf(stand: Stand): BrokenPromise[] {
  return stand.troubles.map((what) => ({
    promise: "Every instance starts, lives on and meets no bug.",
    what,
  }));
}

interface Balance {
  readonly balance: number;
  readonly held: number;
}

async function awaitNoHolds(stand: Stand, customers: readonly Customer[]): Promise<BrokenPromise[]> {
  const deadline = performance.now() + ORPHAN_MS;
  for (;;) {
    const left: string[] = [];
    for (const instance of stand.up) {
      for (const { id, key } of customers) {
        const { held } = await stand.ask<Balance>("GET", "/v1/balance", undefined, key, instance);
        if (held !== 0) left.push(`${instance.name} holds ${held} of account ${id}`);
      }
    }
    if (left.length === 0) return [];
    if (performance.now() > deadline)
      return left.map((what) => ({ promise: "No hold is left 60 s after the last request.", what }));
    await wait(LOOK_MS);
  }
}

async function awaitBurials(stand: Stand, database: Database): Promise<BrokenPromise[]> {
  const deadline = performance.now() + ORPHAN_MS;
  for (;;) {
    const rows = await database.query<{ id: string; leased: bigint | null }>(
      `SELECT i.id, sum(l.balance)::bigint AS leased FROM instances i
       LEFT JOIN ledger_accounts l ON l.kind = 'lease' AND l.instance_id = i.id GROUP BY i.id ORDER BY i.id`,
    );
    if (rows.length === stand.up.length) return [];
    if (performance.now() > deadline)
      return [
        {
          promise: "No dead instance is left after 60 s, and no lease of one.",
          what: `${stand.up.length} run, the books know ${rows.map(({ id, leased }) => `${id} with ${leased ?? 0}`).join(", ")}`,
        },
      ];
    await wait(LOOK_MS);
  }
}

async function checkBalances(
  stand: Stand,
  customers: readonly Customer[],
  credits: number,
  books: Books,
): Promise<BrokenPromise[]> {
  const broken: BrokenPromise[] = [];
  for (const { id, key } of customers) {
    const { balance } = await stand.ask<Balance>("GET", "/v1/balance", undefined, key);
    const spent: NanoCredits = (fromCredits(credits) ?? 0n) - (fromCredits(balance) ?? 0n);
    const charged = chargedTo(id, books);
    if (spent !== charged)
      broken.push({
        promise: "What is missing from a balance is what was charged.",
        what: `account ${id}: ${spent} are gone, ${charged} were charged`,
      });
  }
  return broken;
}
