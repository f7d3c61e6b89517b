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
/** How long it may take until an instance passes the place at which it is to die. */
const LATE_MS = 3_000;

/** Mixed traffic while instances are killed at every place that matters; then every credit is looked for. */
export async function crashes(options: ScenarioOptions): Promise<Report> {
  const { seed, say, kills = 200, instances = 1, everySeconds = [0.5, 3], clients = 12 } = options;
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
        await dieOften(testbed, instance, share, () => drawKillPlan(own, everySeconds, instances), onDeath);
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

/** One instance's lives. The first has begun already; the last is a good one, needed to look at what is left. */
async function dieOften(
  testbed: Testbed,
  instance: Instance,
  deaths: number,
  nextPlan: () => KillPlan,
  onDeath: (place: string) => void,
): Promise<void> {
  if (deaths === 0) return;
  for (let death = 0; death < deaths; death++) {
    onDeath(await endLife(testbed, instance, nextPlan(), death === 0));
  }
  await instance.start();
}

/** Lives a life to its end, and says where that was. */
async function endLife(testbed: Testbed, instance: Instance, plan: KillPlan, isUp: boolean): Promise<string> {
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
  let storeEnded: Promise<void> | undefined;
  const strike = () => {
    instance.kill();
    if (plan.place === "with its store") storeEnded = testbed.killStore();
  };
  // Where its own hand is not quick enough, it is killed after all.
  const last = setTimeout(strike, isOwnHand ? plan.afterMs + LATE_MS : plan.afterMs);
  await instance.ended;
  clearTimeout(last);
  // The next life's store is another one, and must not be struck by what was meant for this.
  await storeEnded;
  const own = instance.crashes[crashesBefore];
  return own?.point ?? (plan.place === "with its store" ? plan.place : "outside");
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
