import { setTimeout as wait } from "node:timers/promises";
import { awaitQuiet, stopAndAudit, troublesOf } from "../await-quiet.ts";
import { checkRecords } from "../check-records.ts";
import { ClientLog } from "../client-log.ts";
import { Dice } from "../dice.ts";
import type { Instance } from "../instance.ts";
import { drawKillPlan, type KillPlan } from "../kill-plan.ts";
import type { LedgerState } from "../ledger-state.ts";
import type { ScenarioOptions } from "../options.ts";
import { type Report, tally, tallyOf } from "../report.ts";
import { Testbed } from "../testbed.ts";
import { Traffic } from "../traffic.ts";

const CREDITS = 100;

/** Mixed traffic while instances are killed at every place that matters; then every credit is looked for. */
export async function crashes(options: ScenarioOptions): Promise<Report> {
  const { seed, say, kills = 200, instances = 1, everySeconds = [0.5, 3], lateSeconds = 3, clients = 12 } = options;
  const startedAt = performance.now();
  const dice = new Dice(seed);
  const log = new ClientLog();
  const testbed = await Testbed.open({ instances, keep: options.keep ?? false });
  try {
    const customers = [
      await testbed.openCustomer(CREDITS),
      await testbed.openCustomer(CREDITS),
      await testbed.openCustomer(CREDITS, { budget: { limit: 90, period: "total" } }),
    ] as const;
    const traffic = new Traffic({ testbed, customers, log, dice: dice.fork("traffic") });
    traffic.start(clients);

    const places: string[] = [];
    const onDeath = (place: string) => {
      places.push(place);
      if (places.length % 10 === 0) say(`${places.length} of ${kills} kills, ${log.records.length} requests.`);
    };
    await Promise.all(
      testbed.instances.map(async (instance, index) => {
        const share = Math.floor(kills / instances) + (index < kills % instances ? 1 : 0);
        const own = dice.fork(instance.name);
        for (let death = 0; death < share; death++) {
          const plan = drawKillPlan(own, everySeconds, instances);
          // The first life has begun already.
          onDeath(await endLife({ testbed, log, instance, plan, lateSeconds, isUp: death === 0 }));
        }
        // The last life is a good one, needed to look at what is left.
        if (share > 0) await instance.start();
      }),
    );
    await traffic.stop();

    const { asked, calls } = testbed.provider;
    const lookAtWhatIsLeft = async () => {
      // An instance that does not start any more is reported as trouble, and has no ledger to read.
      if (testbed.up.length < instances) return { notes: [], broken: troublesOf(testbed) };
      const { ledger, broken } = await awaitQuiet(testbed, customers, CREDITS);
      return {
        notes: [
          `The provider was asked ${calls} times; ${ledger.charges.size} requests were charged.`,
          openOutcomes(testbed.instances, ledger),
        ],
        broken: [
          ...broken,
          ...checkRecords({ log, ledger, asked, wereKilled: true }),
          ...(await stopAndAudit(testbed)),
        ],
      };
    };
    return {
      scenario: `crashes of ${instances === 1 ? "one instance on the embedded store" : `${instances} instances on one PostgreSQL`}`,
      seed,
      ...tallyOf(log),
      kills: tally(places),
      ...(await lookAtWhatIsLeft()),
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await testbed.close();
  }
}

/** Lives a life to its end, and says where that was. */
async function endLife(life: {
  readonly testbed: Testbed;
  readonly log: ClientLog;
  readonly instance: Instance;
  readonly plan: KillPlan;
  readonly lateSeconds: number;
  readonly isUp: boolean;
}): Promise<string> {
  const { testbed, log, instance, plan, lateSeconds, isUp } = life;
  const crashesBefore = instance.crashes.length;
  const isOwnHand = plan.crashPoints !== undefined && !isUp;
  if (!isUp) {
    const starting = instance.start(plan.crashPoints);
    if (plan.place === "while starting") {
      await wait(plan.afterMs);
      instance.kill();
      await starting;
      await instance.ended;
      return plan.place;
    }
    await starting;
  }
  if (!isOwnHand) await untilItAnswers(instance, log);
  let storeEnded: Promise<void> | undefined;
  const strike = () => {
    instance.kill();
    if (plan.place === "with its store") storeEnded = testbed.killStore();
  };
  // Where its own hand is not quick enough, it is killed after all.
  const last = setTimeout(strike, isOwnHand ? plan.afterMs + lateSeconds * 1000 : plan.afterMs);
  await instance.ended;
  clearTimeout(last);
  // The next life's store is another one, and must not be struck by what was meant for this.
  await storeEnded;
  const own = instance.crashes[crashesBefore];
  return own?.point ?? (plan.place === "with its store" ? plan.place : "outside");
}

/** A life in which no request was answered, as on a slow machine, would try nothing. */
async function untilItAnswers(instance: Instance, log: ClientLog): Promise<void> {
  const known = log.records.length;
  const hasAnswered = () =>
    log.records.some(
      (record, place) => place >= known && record.instance === instance.name && record.outcome === "answered",
    );
  while (instance.url !== undefined && !hasAnswered()) await wait(10);
}

/** A death inside the transaction leaves it open what the server did. Both are fine, and both should be seen. */
function openOutcomes(instances: readonly Instance[], { requests }: LedgerState): string {
  const ids = instances
    .flatMap(({ crashes: notes }) => notes)
    .filter(({ point }) => point === "inside-transaction")
    .flatMap(({ requestIds }) => requestIds);
  const written = ids.filter((id) => requests.has(id)).length;
  return `Of ${ids.length} requests whose statement was under way at a kill, ${written} are in the ledger.`;
}
