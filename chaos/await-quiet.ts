import { setTimeout as wait } from "node:timers/promises";
import { fromCredits, type NanoCredits } from "@trunkline/core/money.ts";
import type { Database } from "../server/src/store/database/database.ts";
import { chargedTo, type LedgerState, readLedger } from "./ledger-state.ts";
import type { BrokenPromise } from "./report.ts";
import type { Customer, Testbed } from "./testbed.ts";

/** How long holds and leases of killed instances may stay. */
const ORPHAN_MS = 60_000;
const LOOK_MS = 200;

/** The ledger once no client sends requests any more, and what should not be in it. */
export interface Aftermath {
  readonly ledger: LedgerState;
  readonly broken: readonly BrokenPromise[];
}

/** Waits until nothing is held and killed instances are reclaimed, and reads the ledger. Every instance is up, no client sends requests. */
export async function awaitQuiet(
  testbed: Testbed,
  customers: readonly Customer[],
  credits: number,
): Promise<Aftermath> {
  const database = await testbed.openStore();
  try {
    const broken = [...(await awaitNoHolds(testbed, customers)), ...(await awaitReclaim(testbed, database))];
    const ledger = await readLedger(database);
    return { ledger, broken: [...broken, ...(await checkBalances(testbed, customers, credits, ledger))] };
  } finally {
    await database.close();
  }
}

/** Stops every instance in order, and audits what they leave. */
export async function stopAndAudit(testbed: Testbed): Promise<BrokenPromise[]> {
  const broken: BrokenPromise[] = [];
  for (const instance of testbed.instances) {
    const status = await instance.stop();
    if (status !== 0)
      broken.push({ promise: "An instance stops in order.", what: `${instance.name} ended with ${status}` });
  }
  const { code, said } = await testbed.audit();
  if (code !== 0) broken.push({ promise: "The audit is clean.", what: `exit code ${code}\n${said}` });
  return [...broken, ...troublesOf(testbed)];
}

/** Failures of instances that the scenario did not cause. */
export function troublesOf(testbed: Testbed): BrokenPromise[] {
  return testbed.troubles.map((what) => ({
    promise: "Every instance starts, lives on and meets no bug.",
    what,
  }));
}

interface Balance {
  readonly balance: number;
  readonly held: number;
}

/** Waits until no hold of these customers is left. */
export async function awaitNoHolds(testbed: Testbed, customers: readonly Customer[]): Promise<BrokenPromise[]> {
  const deadline = performance.now() + ORPHAN_MS;
  for (;;) {
    const left: string[] = [];
    for (const instance of testbed.up) {
      for (const { id, key } of customers) {
        const { held } = await testbed.ask<Balance>("GET", "/v1/balance", undefined, key, instance);
        if (held !== 0) left.push(`${instance.name} holds ${held} of account ${id}`);
      }
    }
    if (left.length === 0) return [];
    if (performance.now() > deadline)
      return left.map((what) => ({ promise: "No hold is left 60 s after the last request.", what }));
    await wait(LOOK_MS);
  }
}

async function awaitReclaim(testbed: Testbed, database: Database): Promise<BrokenPromise[]> {
  const deadline = performance.now() + ORPHAN_MS;
  for (;;) {
    const rows = await database.query<{ id: string; leased: bigint | null }>(
      `SELECT i.id, sum(l.balance)::bigint AS leased FROM instances i
       LEFT JOIN ledger_accounts l ON l.kind = 'lease' AND l.instance_id = i.id GROUP BY i.id ORDER BY i.id`,
    );
    if (rows.length === testbed.up.length) return [];
    if (performance.now() > deadline)
      return [
        {
          promise: "No dead instance is left after 60 s, and no lease of one.",
          what: `${testbed.up.length} run, the ledger knows ${rows.map(({ id, leased }) => `${id} with ${leased ?? 0}`).join(", ")}`,
        },
      ];
    await wait(LOOK_MS);
  }
}

async function checkBalances(
  testbed: Testbed,
  customers: readonly Customer[],
  credits: number,
  ledger: LedgerState,
): Promise<BrokenPromise[]> {
  const broken: BrokenPromise[] = [];
  for (const { id, key } of customers) {
    const { balance } = await testbed.ask<Balance>("GET", "/v1/balance", undefined, key);
    const spent: NanoCredits = (fromCredits(credits) ?? 0n) - (fromCredits(balance) ?? 0n);
    const charged = chargedTo(id, ledger);
    if (spent !== charged)
      broken.push({
        promise: "What is missing from a balance is what was charged.",
        what: `account ${id}: ${spent} are gone, ${charged} were charged`,
      });
  }
  return broken;
}
