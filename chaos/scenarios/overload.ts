import { stopAndAudit } from "../await-quiet.ts";
import { loadBody, quantileMs, type Sample } from "../load-generator.ts";
import { sendLoad } from "../load-process.ts";
import type { ScenarioOptions } from "../options.ts";
import { type BrokenPromise, type Report, tally } from "../report.ts";
import { separateProcessors } from "../separate-processors.ts";
import { Testbed } from "../testbed.ts";

const CLIENTS = 64;
const PRESSURE = 3;
const WARM_UP_SECONDS = 8;
const CAPACITY_SECONDS = 10;
const REFUSAL_MS_MAX = 50;
const CREDITS = 100_000;
const PAUSE_MS = 5;

/** Three times as many requests as the service can serve: what it admits stays fast, and the rest is refused at once. */
export async function overload(options: ScenarioOptions): Promise<Report> {
  const { seed, say, seconds = 60 } = options;
  const startedAt = performance.now();
  const testbed = await Testbed.open({ instances: 1, keep: options.keep ?? false });
  try {
    const url = testbed.up[0]?.url ?? "";
    const processors = separateProcessors(testbed.up[0]?.pid);
    const customers = await Promise.all(Array.from({ length: 4 }, () => testbed.openCustomer(CREDITS)));
    const targets = customers.map(({ key }) => ({ url, key, body: loadBody(PAUSE_MS) }));
    await sendLoad(targets, { atOnce: CLIENTS }, WARM_UP_SECONDS);
    const full = await sendLoad(targets, { atOnce: CLIENTS }, CAPACITY_SECONDS);
    const capacity = served(full).length / CAPACITY_SECONDS;
    const fullP99 = quantileMs(served(full), 0.99);
    say(
      `Capacity: ${capacity.toFixed(0)} a second, p99 ${fullP99.toFixed(0)} ms. Now ${PRESSURE} × that for ${seconds} s.`,
    );
    const health = watchHealth(testbed, url);
    const all = await sendLoad(targets, { perSecond: capacity * PRESSURE }, seconds);
    const healthMs = await health.stop();
    const pressed = all.filter(({ isFirst }) => !isFirst);
    const first = all.filter(({ isFirst }) => isFirst);
    const goodput = served(pressed).length / seconds;
    const refused = pressed.filter(({ status }) => status === 503);
    const servedP99 = quantileMs(served(pressed), 0.99);
    const refusedP99 = quantileMs(refused, 0.99);
    const strange = pressed.filter(({ status }) => status !== 200 && status !== 503);
    const broken: BrokenPromise[] = [
      ...breach(
        goodput < capacity * 0.9,
        "At three times its capacity the service serves at least 90 % of it.",
        `${goodput.toFixed(0)} of ${capacity.toFixed(0)} a second`,
      ),
      ...breach(
        servedP99 > fullP99 * 2,
        "The p99 of what is admitted is at most twice that at capacity.",
        `${servedP99.toFixed(0)} against ${fullP99.toFixed(0)} ms`,
      ),
      ...breach(
        refusedP99 > REFUSAL_MS_MAX,
        `Refusals come within ${REFUSAL_MS_MAX} ms.`,
        `p99 ${refusedP99.toFixed(0)} ms`,
      ),
      ...breach(
        strange.length > 0,
        "A request is served or refused by 503.",
        JSON.stringify(tally(strange.map(({ status }) => String(status)))),
      ),
    ];
    return {
      scenario: `${PRESSURE} × the capacity for ${seconds} s`,
      seed,
      requests: { "at capacity": full.length, pressed: pressed.length },
      answers: tally(pressed.map(({ status }) => String(status))),
      kills: {},
      notes: [
        `Capacity ${capacity.toFixed(0)} a second, under pressure ${goodput.toFixed(0)} (${((100 * goodput) / capacity).toFixed(0)} %).`,
        `Served: p50 ${quantileMs(served(full), 0.5).toFixed(0)} and p99 ${fullP99.toFixed(0)} ms at capacity, ${quantileMs(served(pressed), 0.5).toFixed(0)} and ${servedP99.toFixed(0)} ms under pressure.`,
        `${first.length} requests that came with a new connection are not counted: p50 ${quantileMs(first, 0.5).toFixed(0)}, p99 ${quantileMs(first, 0.99).toFixed(0)} ms.`,
        processors,
        `Refused: p50 ${quantileMs(refused, 0.5).toFixed(0)}, p99 ${refusedP99.toFixed(0)} ms. /readyz and /v1/balance took at most ${healthMs.toFixed(0)} ms.`,
      ],
      broken: [...broken, ...(await stopAndAudit(testbed))],
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await testbed.close();
  }
}

const served = (samples: readonly Sample[]) => samples.filter(({ status }) => status === 200);

function breach(isBroken: boolean, promise: string, what: string): BrokenPromise[] {
  return isBroken ? [{ promise, what }] : [];
}

/** Asks for what must stay possible, twice a second. Its end tells the longest wait; anything but 200 throws. */
function watchHealth(testbed: Testbed, url: string) {
  let isOver = false;
  const watching = (async () => {
    let longestMs = 0;
    while (!isOver) {
      const startedAt = performance.now();
      const ready = await fetch(`${url}/readyz`);
      if (ready.status !== 200) throw new Error(`/readyz said ${ready.status} under load.`);
      await testbed.ask("GET", "/v1/balance");
      longestMs = Math.max(longestMs, performance.now() - startedAt);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    return longestMs;
  })();
  return {
    stop: () => {
      isOver = true;
      return watching;
    },
  };
}
