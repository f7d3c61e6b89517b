import { setTimeout as wait } from "node:timers/promises";
import type { Books } from "../books.ts";
import { checkTellings } from "../check-tellings.ts";
import { ClientLog } from "../client-log.ts";
import { Dice } from "../dice.ts";
import { drawFate, type Fate } from "../fate.ts";
import type { Instance } from "../instance.ts";
import type { ScenarioOptions } from "../options.ts";
import { type Report, tally, tallyOf } from "../report.ts";
import { closeBooks, settleDown, troublesOf } from "../settle-down.ts";
import { Stand } from "../stand.ts";
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
  const stand = await Stand.open({ instances, keep: options.keep ?? false });
  try {
    const customers = [
      await stand.openCustomer(CREDITS),
      await stand.openCustomer(CREDITS),
      await stand.openCustomer(CREDITS, { budget: { limit: 90, period: "total" } }),
    ] as const;
    const traffic = new Traffic({ stand, customers, log, dice: dice.fork("traffic") });
    traffic.start(clients);

    const places: string[] = [];
    const onDeath = (place: string) => {
      places.push(place);
      if (places.length % 10 === 0) say(`${places.length} of ${kills} kills, ${log.tellings.length} requests.`);
    };
    await Promise.all(
      stand.instances.map(async (instance, index) => {
        const share = Math.floor(kills / instances) + (index < kills % instances ? 1 : 0);
        const own = dice.fork(instance.name);
        await dieOften(stand, instance, share, () => drawFate(own, everySeconds, instances), onDeath);
      }),
    );
    await traffic.stop();

    const { asked, calls } = stand.provider;
    const lookAtWhatIsLeft = async () => {
      // What does not start any more is told as a trouble, and has no books to look into.
      if (stand.up.length < instances) return { notes: [], broken: troublesOf(stand) };
      const { books, broken } = await settleDown(stand, customers, CREDITS);
      return {
        notes: [
          `The provider was asked ${calls} times; ${books.charges.size} requests were charged.`,
          openOutcomes(stand.instances, books),
        ],
        broken: [...broken, ...checkTellings({ log, books, asked, wereKilled: true }), ...(await closeBooks(stand))],
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
    await stand.close();
  }
}

/** One instance's lives. The first has begun already; the last is a good one, needed to look at what is left. */
async function dieOften(
  stand: Stand,
  instance: Instance,
  deaths: number,
  nextFate: () => Fate,
  onDeath: (place: string) => void,
): Promise<void> {
  if (deaths === 0) return;
  for (let death = 0; death < deaths; death++) {
    onDeath(await endLife(stand, instance, nextFate(), death === 0));
  }
  await instance.start();
}

/** Lives a life to its end, and says where that was. */
async function endLife(stand: Stand, instance: Instance, fate: Fate, isUp: boolean): Promise<string> {
  const crashesBefore = instance.crashes.length;
  const isOwnHand = fate.crashPoints !== undefined && !isUp;
  if (!isUp) {
    const starting = instance.start(fate.crashPoints);
    if (fate.place === "while starting") {
      await wait(fate.afterMs);
      instance.kill();
      await starting;
      await instance.ended;
      return fate.place;
    }
    await starting;
  }
  let storeEnded: Promise<void> | undefined;
  const strike = () => {
    instance.kill();
    if (fate.place === "with its store") storeEnded = stand.killStore();
  };
  // Where its own hand is not quick enough, it is killed after all.
  const last = setTimeout(strike, isOwnHand ? fate.afterMs + LATE_MS : fate.afterMs);
  await instance.ended;
  clearTimeout(last);
  // The next life's store is another one, and must not be struck by what was meant for this.
  await storeEnded;
  const own = instance.crashes[crashesBefore];
  return own?.point ?? (fate.place === "with its store" ? fate.place : "outside");
}

/** A death inside the transaction leaves it open what the server did. Both are fine, and both should be seen. */
function openOutcomes(instances: readonly Instance[], { requests }: Books): string {
  const ids = instances
    .flatMap(({ crashes: notes }) => notes)
    .filter(({ point }) => point === "inside-transaction")
    .flatMap(({ requestIds }) => requestIds);
  const written = ids.filter((id) => requests.has(id)).length;
  return `Of ${ids.length} requests whose statement was under way at a kill, ${written} are in the books.`;
}
