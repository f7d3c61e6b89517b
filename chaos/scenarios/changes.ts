import { setTimeout as wait } from "node:timers/promises";
import { awaitQuiet, stopAndAudit } from "../await-quiet.ts";
import { type ChangedKey, KINDS_OF_CHANGE, makeChange } from "../changed-key.ts";
import { checkRecords } from "../check-records.ts";
import { ClientLog } from "../client-log.ts";
import { Dice } from "../dice.ts";
import type { ScenarioOptions } from "../options.ts";
import { type BrokenPromise, type Report, tally, tallyOf } from "../report.ts";
import { Testbed } from "../testbed.ts";
import { Traffic } from "../traffic.ts";

const CREDITS = 100;
const IN_FORCE_MS = 1_000;
/** How long every instance is asked again and again about a change that was just made. */
const CLOSE_LOOK_MS = 3_000;
const CLOSE_LOOK_EVERY_MS = 50;
/** How often requests are sent with every key that was ever changed. */
const LONG_LOOK_EVERY_MS = 40;
const BETWEEN_CHANGES_MS = [2_000, 6_000] as const;
/** In how many of the rounds the instances' notification connections are cut just before the change. */
const DEAF = 0.4;
const DEAF_MS = 400;

/** Keys are revoked, budgets and limits changed under load: every instance knows within a second, and never forgets. */
export async function changes(options: ScenarioOptions): Promise<Report> {
  const { seed, say, instances = 3, minutes = 10, clients = 6 } = options;
  const startedAt = performance.now();
  const dice = new Dice(seed);
  const log = new ClientLog();
  const broken: BrokenPromise[] = [];
  const looks: string[] = [];
  const testbed = await Testbed.open({ instances, keep: options.keep ?? false });
  try {
    const customers = [await testbed.openCustomer(CREDITS)] as const;
    const traffic = new Traffic({ testbed, customers, log, dice: dice.fork("traffic") });
    traffic.start(clients);
    const changed: ChangedKey[] = [];
    const look = async (key: ChangedKey, target: Testbed["up"][number]) => {
      const sentAt = performance.now();
      const { seen, isRight } = await key.look(testbed, target);
      looks.push(seen);
      if (!isRight && sentAt > key.changedAt + IN_FORCE_MS)
        broken.push({
          promise: "A change is in force on every instance within 1 s, and stays so.",
          what: `${key.kind}: ${target.name} answered ${seen}, ${Math.round(sentAt - key.changedAt)} ms after it`,
        });
    };
    const until = startedAt + minutes * 60_000;
    const longLook = lookAround(testbed, changed, dice.fork("long look"), until, look);
    const own = dice.fork("changes");
    const kinds: string[] = [];
    while (performance.now() < until) {
      const kind = own.pick(KINDS_OF_CHANGE);
      const isDeaf = own.chance(DEAF);
      const headStartMs = own.between(0, DEAF_MS);
      const pauseMs = own.between(...BETWEEN_CHANGES_MS);
      if (isDeaf) await deafen(testbed, headStartMs);
      const key = await makeChange(testbed, kind, own);
      changed.push(key);
      kinds.push(isDeaf ? `${kind} (unheard)` : kind);
      if (kinds.length % 10 === 0) say(`${kinds.length} changes, ${looks.length} looks.`);
      await lookClosely(testbed, key, look);
      await wait(pauseMs);
    }
    await longLook;
    await traffic.stop();
    const { ledger, broken: left } = await awaitQuiet(testbed, customers, CREDITS);
    const asked = testbed.provider.asked;
    return {
      scenario: `changes of keys on ${instances} instances`,
      seed,
      ...tallyOf(log),
      kills: {},
      notes: [`Changes: ${listOf(tally(kinds))}.`, `Looks at them: ${listOf(tally(looks))}.`],
      broken: [
        ...broken,
        ...left,
        ...checkRecords({ log, ledger, asked, wereKilled: false }),
        ...(await stopAndAudit(testbed)),
      ],
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await testbed.close();
  }
}

type Look = (key: ChangedKey, target: Testbed["up"][number]) => Promise<void>;

async function lookClosely(testbed: Testbed, key: ChangedKey, look: Look): Promise<void> {
  while (performance.now() < key.changedAt + CLOSE_LOOK_MS) {
    await Promise.all(testbed.up.map((target) => look(key, target)));
    await wait(CLOSE_LOOK_EVERY_MS);
  }
}

/** A stale copy that comes back is seen by asking with an old key once more. */
async function lookAround(
  testbed: Testbed,
  changed: readonly ChangedKey[],
  dice: Dice,
  until: number,
  look: Look,
): Promise<void> {
  while (performance.now() < until) {
    const [firstKey, ...otherKeys] = changed;
    const [first, ...others] = testbed.up;
    if (firstKey !== undefined && first !== undefined)
      await look(dice.pick([firstKey, ...otherKeys]), dice.pick([first, ...others]));
    await wait(LONG_LOOK_EVERY_MS);
  }
}

/** Cuts the connections on which instances hear of changes, and gives them a moment to notice. */
async function deafen(testbed: Testbed, headStartMs: number): Promise<void> {
  const database = await testbed.openStore();
  await database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %' AND pid <> pg_backend_pid()",
  );
  await database.close();
  await wait(headStartMs);
}

function listOf(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([what, count]) => `${what} ${count}`)
    .join(", ");
}
