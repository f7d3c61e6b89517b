import { ClientLog, type Telling } from "../client-log.ts";
import { Dice } from "../dice.ts";
import { exchange } from "../exchange.ts";
import type { ScenarioOptions } from "../options.ts";
import type { Wishes } from "../provider.ts";
import { type BrokenPromise, type Report, tally, tallyOf } from "../report.ts";
import { closeBooks } from "../settle-down.ts";
import { type Customer, Stand } from "../stand.ts";

/** The model `fixed` costs one credit a request, held and charged: a balance of five is for five. */
const CREDITS = 5;
/** How many of a rush meet a provider that fails: what was held for them, wherever that was, must serve others. */
const FAILING = [0, 0.1, 0.6] as const;

/** Many more requests than the money is for, at once and on every instance, round after round. */
export async function lastCredit(options: ScenarioOptions): Promise<Report> {
  const { seed, say, instances = 3, rounds = 100, requests = 200 } = options;
  const startedAt = performance.now();
  const dice = new Dice(seed);
  const log = new ClientLog();
  const broken: BrokenPromise[] = [];
  const rushes: string[] = [];
  const stand = await Stand.open({ instances, keep: options.keep ?? false });
  try {
    for (let round = 1; round <= rounds; round++) {
      const customer = await stand.openCustomer(CREDITS);
      const desk = new Desk(stand, customer, log, dice.fork(`round ${round}`), `round-${round}`);
      await strand(desk);
      const served = await rush(desk, requests);
      rushes.push(`${served} of ${CREDITS}`);
      broken.push(
        ...checkRush(desk, served),
        ...(await spendTheRest(desk, CREDITS - served)),
        ...(await checkEmpty(stand, desk)),
      );
      if (round % 10 === 0) say(`${round} of ${rounds} rounds, ${broken.length} broken promises.`);
    }
    const counts = Object.entries(tally(rushes)).map(([what, count]) => `${what} in ${count} rounds`);
    return {
      scenario: `the last credit, ${requests} requests at once on ${instances} instances`,
      seed,
      ...tallyOf(log),
      kills: {},
      notes: [`Served in the rush itself: ${counts.toSorted().join(", ")}.`],
      broken: [...broken, ...(await closeBooks(stand))],
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await stand.close();
  }
}

/** Where the requests of one round are sent from. */
class Desk {
  readonly #stand: Stand;
  readonly #log: ClientLog;
  readonly customer: Customer;
  readonly dice: Dice;
  readonly name: string;
  readonly sent: Telling[] = [];
  #tickets = 0;

  constructor(stand: Stand, customer: Customer, log: ClientLog, dice: Dice, name: string) {
    this.#stand = stand;
    this.customer = customer;
    this.#log = log;
    this.dice = dice;
    this.name = name;
  }

  /** How many instances there are. */
  get doors(): number {
    return this.#stand.up.length;
  }

  /** Which instance is asked, drawn beforehand: requests that run at once draw in no order. */
  drawTarget() {
    const [first, ...others] = this.#stand.up;
    if (first === undefined) throw new Error("No instance is up.");
    return this.dice.pick([first, ...others]);
  }

  async send(kind: string, target: { name: string; url: string }, fails: boolean): Promise<Telling> {
    const ticket = `${this.name}-${this.#tickets++}`;
    const wishes: Wishes = {
      ticket,
      words: 3,
      pause_ms: 20,
      usage: true,
      ...(fails ? { fail: "status" } : {}),
    };
    const path = "/v1/ai/request";
    const sending = {
      kind,
      ticket,
      accountId: this.customer.id,
      instance: target.name,
      path,
      idempotencyKey: undefined,
      sentAt: performance.now(),
    };
    const body = { task: "chat", input: "A few words, please.", model: "fixed", parameters: { ...wishes } };
    const ending = await exchange(this.#stand.agent, {
      url: target.url,
      method: "POST",
      path,
      key: this.customer.key,
      body,
    });
    const telling = this.#log.note(sending, ending);
    this.sent.push(telling);
    return telling;
  }
}

/** Some of the money was held before, here and there, and came to nothing: it lies where it was held. */
async function strand(desk: Desk): Promise<void> {
  const targets = Array.from({ length: desk.dice.whole(0, CREDITS) }, () => desk.drawTarget());
  await Promise.all(targets.map((target) => desk.send("in vain", target, true)));
}

/** Everybody at once, at all instances or only at some. */
async function rush(desk: Desk, requests: number): Promise<number> {
  const failing = desk.dice.pick(FAILING);
  const doors = Array.from({ length: desk.dice.whole(1, desk.doors) }, () => desk.drawTarget());
  const draws = Array.from({ length: requests }, () => ({
    target: doors[desk.dice.whole(0, doors.length - 1)] ?? desk.drawTarget(),
    fails: desk.dice.chance(failing),
  }));
  const told = await Promise.all(draws.map(({ target, fails }) => desk.send("rush", target, fails)));
  return told.filter(({ status }) => status === 200).length;
}

function checkRush(desk: Desk, served: number): BrokenPromise[] {
  const strange = desk.sent.filter(
    ({ outcome, status }) => outcome !== "answered" || ![200, 402, 502].includes(status),
  );
  return [
    ...(served > CREDITS
      ? [
          {
            promise: "Never more is served than was paid for.",
            what: `${desk.name}: ${served} were served on a balance for ${CREDITS}`,
            requestIds: idsOf(desk.sent.filter(({ status }) => status === 200)),
          },
        ]
      : []),
    ...strange.map((telling) => ({
      promise: "A rush is served or told 402.",
      what: `${desk.name}: ${telling.outcome} ${telling.status} ${telling.errorType ?? ""} by ${telling.instance}`,
      requestIds: idsOf([telling]),
    })),
  ];
}

/** Nothing is held any more: each further credit must be had by whoever asks for it first, wherever that is. */
async function spendTheRest(desk: Desk, left: number): Promise<BrokenPromise[]> {
  for (let credit = 0; credit < left; credit++) {
    const telling = await desk.send("one by one", desk.drawTarget(), false);
    if (telling.status === 200) continue;
    return [
      {
        promise: "The last credit is usable.",
        what: `${desk.name}: ${left - credit} of ${CREDITS} credits are left, and ${telling.instance} said ${telling.status} ${telling.errorType ?? ""}`,
        requestIds: idsOf([telling]),
      },
    ];
  }
  const beyond = await desk.send("one too many", desk.drawTarget(), false);
  if (beyond.status === 402) return [];
  return [
    {
      promise: "Nothing is served without money.",
      what: `${desk.name}: ${beyond.status} by ${beyond.instance}`,
      requestIds: idsOf([beyond]),
    },
  ];
}

/** What was served was paid for, to the credit. */
async function checkEmpty(stand: Stand, desk: Desk): Promise<BrokenPromise[]> {
  const { balance } = await stand.ask<{ balance: number }>("GET", "/v1/balance", undefined, desk.customer.key);
  const served = desk.sent.filter(({ status }) => status === 200).length;
  if (balance === CREDITS - served && balance >= 0) return [];
  return [
    {
      promise: "The balance is what was not spent, and never below zero.",
      what: `${desk.name}: ${served} of ${CREDITS} were served, and the balance is ${balance}`,
    },
  ];
}

function idsOf(tellings: readonly Telling[]): string[] {
  return tellings.flatMap(({ requestId }) => requestId ?? []);
}
