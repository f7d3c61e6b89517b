import { setTimeout as wait } from "node:timers/promises";
import { stopAndAudit } from "../await-quiet.ts";
import { Dice } from "../dice.ts";
import { exchange } from "../exchange.ts";
import type { ScenarioOptions } from "../options.ts";
import { type BrokenPromise, type Report, tally } from "../report.ts";
import { type Customer, Testbed } from "../testbed.ts";

const LIMIT = 600;
const TOLERANCE = 0.05;
/** How many times the limit is asked for. */
const PRESSURE = 4;
/** The burst goes first; what is measured is the rate that holds for ever. */
const DRAIN_MS = 15_000;
const SHIFT_MS = 5_000;

/** How the requests of a key are spread over the instances: which one is next, at a time since the start. */
const SPREADS: Readonly<Record<string, (dice: Dice, instances: number, ms: number) => number>> = {
  even: (dice, instances) => dice.whole(0, instances - 1),
  skewed: (dice, instances) => (dice.chance(0.85) ? 0 : dice.whole(0, instances - 1)),
  "all to one": (_dice, instances) => instances - 1,
  shifting: (_dice, instances, ms) => Math.floor(ms / SHIFT_MS) % instances,
};

interface Measure {
  readonly spread: string;
  readonly admitted: number;
  readonly answers: readonly string[];
  readonly strange: readonly BrokenPromise[];
}

/** One key's limit, asked for four times over on several instances at once: it is one limit. */
export async function rateLimits(options: ScenarioOptions): Promise<Report> {
  const { seed, say, instances = 3, seconds = 60 } = options;
  const startedAt = performance.now();
  const dice = new Dice(seed);
  const testbed = await Testbed.open({ instances, keep: options.keep ?? false });
  try {
    say(`Every spread at once: ${DRAIN_MS / 1000} s to drain the burst, ${seconds} s to measure.`);
    const measures = await Promise.all(
      Object.keys(SPREADS).map(async (spread) => {
        const customer = await testbed.openCustomer(1, { requests_per_minute: LIMIT });
        return press(testbed, customer, spread, dice.fork(spread), seconds * 1000);
      }),
    );
    const wanted = (LIMIT * seconds) / 60;
    const broken = measures
      .filter(({ admitted }) => Math.abs(admitted - wanted) > wanted * TOLERANCE)
      .map(({ spread, admitted }) => ({
        promise: `${LIMIT} a minute admits ${LIMIT} ± 5 % a minute, whatever the spread.`,
        what: `${spread}: ${admitted} were admitted in ${seconds} s, ${wanted} are right`,
      }));
    return {
      scenario: `a rate limit over ${instances} instances`,
      seed,
      requests: Object.fromEntries(measures.map(({ spread, answers }) => [spread, answers.length])),
      answers: tally(measures.flatMap(({ answers }) => answers)),
      kills: {},
      notes: measures.map(({ spread, admitted }) => `${spread}: ${admitted} admitted in ${seconds} s.`),
      broken: [...broken, ...measures.flatMap(({ strange }) => strange), ...(await stopAndAudit(testbed))],
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await testbed.close();
  }
}

/** Asks at a steady pace, whatever comes back. */
async function press(
  testbed: Testbed,
  { key }: Customer,
  spread: string,
  dice: Dice,
  measureMs: number,
): Promise<Measure> {
  const startedAt = performance.now();
  const everyMs = 60_000 / (LIMIT * PRESSURE);
  const answers: string[] = [];
  const strange: BrokenPromise[] = [];
  const open = new Set<Promise<void>>();
  let admitted = 0;
  for (let count = 0; ; count++) {
    const dueMs = count * everyMs;
    if (dueMs >= DRAIN_MS + measureMs) break;
    await wait(Math.max(0, dueMs - (performance.now() - startedAt)));
    const target = testbed.up[SPREADS[spread]?.(dice, testbed.up.length, dueMs) ?? 0];
    if (target === undefined) continue;
    const asked = exchange(testbed.agent, { url: target.url, method: "GET", path: "/v1/models", key }).then(
      ({ kind, status, headers }) => {
        answers.push(kind === "answered" ? String(status) : kind);
        if (status === 200 && dueMs >= DRAIN_MS) admitted++;
        if (status !== 200 && (status !== 429 || !(Number(headers["retry-after"]) > 0)))
          strange.push({
            promise: "A request is admitted, or refused by 429 with when to come back.",
            what: `${spread}: ${kind} ${status} by ${target.name}`,
          });
      },
    );
    const tracked: Promise<void> = asked.finally(() => open.delete(tracked));
    open.add(tracked);
  }
  await Promise.all(open);
  return { spread, admitted, answers, strange };
}
