import { stopAndAudit } from "../await-quiet.ts";
import { ClientLog, type ClientRecord } from "../client-log.ts";
import { Dice } from "../dice.ts";
import { exchange } from "../exchange.ts";
import type { ScenarioOptions } from "../options.ts";
import type { Wishes } from "../provider.ts";
import { type BrokenPromise, type Report, tally, tallyOf } from "../report.ts";
import { type Customer, Testbed } from "../testbed.ts";

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
  const testbed = await Testbed.open({ instances, keep: options.keep ?? false });
  try {
    for (let round = 1; round <= rounds; round++) {
      const customer = await testbed.openCustomer(CREDITS);
      const sender = new Sender(testbed, customer, log, dice.fork(`round ${round}`), `round-${round}`);
      await strand(sender);
      const served = await rush(sender, requests);
      rushes.push(`${served} of ${CREDITS}`);
      broken.push(
        ...checkRush(sender, served),
        ...(await spendTheRest(sender, CREDITS - served)),
        ...(await checkEmpty(testbed, sender)),
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
      broken: [...broken, ...(await stopAndAudit(testbed))],
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await testbed.close();
  }
}

/** Where the requests of one round are sent from. */
class Sender {
  readonly #testbed: Testbed;
  readonly #log: ClientLog;
  readonly customer: Customer;
  readonly dice: Dice;
  readonly name: string;
  readonly sent: ClientRecord[] = [];
  #tickets = 0;

  constructor(testbed: Testbed, customer: Customer, log: ClientLog, dice: Dice, name: string) {
    this.#testbed = testbed;
    this.customer = customer;
    this.#log = log;
    this.dice = dice;
    this.name = name;
  }

  /** How many instances there are. */
  get instanceCount(): number {
    return this.#testbed.up.length;
  }

  /** Which instance is asked, drawn beforehand: requests that run at once draw in no order. */
  drawTarget() {
    const [first, ...others] = this.#testbed.up;
    if (first === undefined) throw new Error("No instance is up.");
    return this.dice.pick([first, ...others]);
  }

  async send(kind: string, target: { name: string; url: string }, fails: boolean): Promise<ClientRecord> {
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
    const ending = await exchange(this.#testbed.agent, {
      url: target.url,
      method: "POST",
      path,
      key: this.customer.key,
      body,
    });
    const record = this.#log.note(sending, ending);
    this.sent.push(record);
    return record;
  }
}

/** Some of the money was held before, here and there, and came to nothing: it lies where it was held. */
async function strand(sender: Sender): Promise<void> {
  const targets = Array.from({ length: sender.dice.whole(0, CREDITS) }, () => sender.drawTarget());
  await Promise.all(targets.map((target) => sender.send("in vain", target, true)));
}

/** All requests at once, to all instances or only to some. */
async function rush(sender: Sender, requests: number): Promise<number> {
  const failing = sender.dice.pick(FAILING);
  const targets = Array.from({ length: sender.dice.whole(1, sender.instanceCount) }, () => sender.drawTarget());
  const draws = Array.from({ length: requests }, () => ({
    target: targets[sender.dice.whole(0, targets.length - 1)] ?? sender.drawTarget(),
    fails: sender.dice.chance(failing),
  }));
  const records = await Promise.all(draws.map(({ target, fails }) => sender.send("rush", target, fails)));
  return records.filter(({ status }) => status === 200).length;
}

function checkRush(sender: Sender, served: number): BrokenPromise[] {
  const strange = sender.sent.filter(
    ({ outcome, status }) => outcome !== "answered" || ![200, 402, 502].includes(status),
  );
  return [
    ...(served > CREDITS
      ? [
          {
            promise: "Never more is served than was paid for.",
            what: `${sender.name}: ${served} were served on a balance for ${CREDITS}`,
            requestIds: idsOf(sender.sent.filter(({ status }) => status === 200)),
          },
        ]
      : []),
    ...strange.map((record) => ({
      promise: "A rush is served or refused by 402.",
      what: `${sender.name}: ${record.outcome} ${record.status} ${record.errorType ?? ""} by ${record.instance}`,
      requestIds: idsOf([record]),
    })),
  ];
}

/** Nothing is held any more: the first request for each further credit must get it, on any instance. */
async function spendTheRest(sender: Sender, left: number): Promise<BrokenPromise[]> {
  for (let credit = 0; credit < left; credit++) {
    const record = await sender.send("one by one", sender.drawTarget(), false);
    if (record.status === 200) continue;
    return [
      {
        promise: "The last credit is usable.",
        what: `${sender.name}: ${left - credit} of ${CREDITS} credits are left, and ${record.instance} said ${record.status} ${record.errorType ?? ""}`,
        requestIds: idsOf([record]),
      },
    ];
  }
  const beyond = await sender.send("one too many", sender.drawTarget(), false);
  if (beyond.status === 402) return [];
  return [
    {
      promise: "Nothing is served without money.",
      what: `${sender.name}: ${beyond.status} by ${beyond.instance}`,
      requestIds: idsOf([beyond]),
    },
  ];
}

/** What was served was paid for, to the credit. */
async function checkEmpty(testbed: Testbed, sender: Sender): Promise<BrokenPromise[]> {
  const { balance } = await testbed.ask<{ balance: number }>("GET", "/v1/balance", undefined, sender.customer.key);
  const served = sender.sent.filter(({ status }) => status === 200).length;
  if (balance === CREDITS - served && balance >= 0) return [];
  return [
    {
      promise: "The balance is what was not spent, and never below zero.",
      what: `${sender.name}: ${served} of ${CREDITS} were served, and the balance is ${balance}`,
    },
  ];
}

function idsOf(records: readonly ClientRecord[]): string[] {
  return records.flatMap(({ requestId }) => requestId ?? []);
}
