import { setTimeout as wait } from "node:timers/promises";
import { fromCredits } from "@trunkline/core/money.ts";
import { SeverableStore } from "../../server/test/support/severable-store.ts";
import { awaitNoHolds, stopAndAudit } from "../await-quiet.ts";
import { ClientLog, type ClientRecord } from "../client-log.ts";
import { Dice } from "../dice.ts";
import { exchange } from "../exchange.ts";
import type { ScenarioOptions } from "../options.ts";
import { type BrokenPromise, type Report, tallyOf } from "../report.ts";
import { Testbed } from "../testbed.ts";

const CREDITS = 100;
const READY_MS_MAX = 60_000;
const TRIES_MAX = 100;
const TRY_EVERY_MS = 200;
/** How long answers of the store are lost before its connections are cut, and how long it then stays away. */
const MUTE_MS = [100, 700] as const;
const AWAY_MS = [0, 6_000] as const;

/** The connection to PostgreSQL is cut after a commit was sent and before its answer: what the 503 says comes true. */
export async function unknownCommit(options: ScenarioOptions): Promise<Report> {
  const { seed, say, rounds = 20, clients = 20 } = options;
  const startedAt = performance.now();
  const dice = new Dice(seed);
  const store = new SeverableStore();
  const testbed = await Testbed.open({ instances: 1, keep: options.keep ?? false, reach: store.reach });
  try {
    const url = testbed.up[0]?.url ?? "";
    const customer = await testbed.openCustomer(CREDITS);
    const log = new ClientLog();
    const broken: BrokenPromise[] = [];
    let kept = 0;
    let free = 0;
    const send = async (ticket: string, key: string | undefined) => {
      const parameters = { ticket, words: 5, pause_ms: 100, usage: true };
      const body = { task: "chat", input: "A few words about rivers, please.", model: "steady", parameters };
      const sending = { kind: key === undefined ? "plain" : "idempotent", ticket, accountId: customer.id };
      const path = "/v1/ai/request";
      const sentAt = performance.now();
      const headers = key === undefined ? {} : { "idempotency-key": key };
      const ending = await exchange(testbed.agent, { url, method: "POST", path, key: customer.key, body, headers });
      const record = log.note({ ...sending, instance: "instance-1", path, idempotencyKey: key, sentAt }, ending);
      return { record, text: ending.text };
    };
    const paid: ClientRecord[] = [];
    for (let round = 1; round <= rounds; round++) {
      const asked = Array.from({ length: clients }, (_, client) => {
        const ticket = `round-${round}-${client}`;
        return {
          ticket,
          key: client % 2 === 0 ? ticket : undefined,
          ending: send(ticket, client % 2 === 0 ? ticket : undefined),
        };
      });
      // Once the providers are asked nothing is missing but the commits, and nobody hears of these.
      const called = testbed.provider.calls;
      const deadline = performance.now() + READY_MS_MAX;
      while (testbed.provider.calls < called + clients / 2 && performance.now() < deadline) await wait(10);
      store.mute();
      await wait(dice.between(...MUTE_MS));
      store.cut();
      // For a while, or for longer than requests wait for their commits.
      if (round % 2 === 0) await wait(dice.between(...AWAY_MS));
      else await Promise.all(asked.map(({ ending }) => ending));
      store.mend();
      await awaitReady(url);
      for (const { ticket, key, ending } of asked) {
        const { record, text } = await ending;
        if (record.status === 200) paid.push(record);
        else if (key === undefined) free += 1;
        else {
          const again = await sendUntilAnswered(() => send(ticket, key));
          if (again?.status === 200) paid.push(again);
          else
            broken.push({
              promise: "What could not be charged can be asked for again.",
              what: `${ticket}: ${again?.status}`,
            });
          if (!text.includes("Its answer is kept")) continue;
          kept += 1;
          if (again?.isReplayed !== true)
            broken.push({
              promise: "An answer that is said to be kept is given again.",
              what: `${ticket} was made anew`,
            });
        }
      }
      say(`Round ${round} of ${rounds}.`);
    }
    broken.push(...(await awaitNoHolds(testbed, [customer])));
    // A charge that was given back stays in the ledger, with a grant for it: the balance decides, not the list of charges.
    const { balance } = await testbed.ask<{ balance: number }>("GET", "/v1/balance", undefined, customer.key);
    const spent = (fromCredits(CREDITS) ?? 0n) - (fromCredits(balance) ?? 0n);
    const owed = paid.reduce((sum, { cost = 0n }) => sum + cost, 0n);
    if (spent !== owed)
      broken.push({
        promise: "A client pays for the answers that it got, once, and for nothing else.",
        what: `${spent} nano-credits are gone, the answers cost ${owed}`,
      });
    return {
      scenario: `commits without an answer, ${rounds} rounds`,
      seed,
      ...tallyOf(log),
      kills: {},
      notes: [`Said to cost nothing: ${free}. Said to be kept, and given again: ${kept}.`],
      broken: [...broken, ...(await stopAndAudit(testbed))],
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    store.mend();
    await testbed.close();
    store.stop();
  }
}

async function awaitReady(url: string): Promise<void> {
  const deadline = performance.now() + READY_MS_MAX;
  while (performance.now() < deadline) {
    if ((await fetch(`${url}/readyz`)).status === 200) return;
    await wait(TRY_EVERY_MS);
  }
  throw new Error("The service is not ready a minute after its store came back.");
}

/** Sends again while the run under the key is still being ended. */
async function sendUntilAnswered(send: () => Promise<{ readonly record: ClientRecord }>) {
  let last: ClientRecord | undefined;
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    last = (await send()).record;
    if (last.status !== 409 && last.status !== 503) return last;
    await wait(TRY_EVERY_MS);
  }
  return last;
}
