import { stopAndAudit } from "../await-quiet.ts";
import { loadBody, quantileMs } from "../load-generator.ts";
import { sendLoad } from "../load-process.ts";
import type { ScenarioOptions } from "../options.ts";
import { type BrokenPromise, type Report, tally } from "../report.ts";
import { separateProcessors } from "../separate-processors.ts";
import { Testbed } from "../testbed.ts";

const QUIET_PER_SECOND = 40;
const PRESSURE = 50;
const BUSY_KEYS = 20;
const CREDITS = 100_000;
/** What a fast provider takes for a short answer. */
const PAUSE_MS = 100;
const ALONE_SECONDS = 10;

/** A tenant with 20 keys sends 50 times what another one sends, more than the service can serve: the other notices little. */
export async function neighbour(options: ScenarioOptions): Promise<Report> {
  const { seed, say, seconds = 30 } = options;
  const startedAt = performance.now();
  const testbed = await Testbed.open({ instances: 1, keep: options.keep ?? false });
  try {
    const url = testbed.up[0]?.url ?? "";
    const processors = separateProcessors(testbed.up[0]?.pid);
    const quietCustomer = await testbed.openCustomer(CREDITS);
    const busyCustomer = await testbed.openCustomer(CREDITS);
    const busyKeys = await Promise.all(
      Array.from({ length: BUSY_KEYS }, async () => {
        const path = `/v1/admin/accounts/${busyCustomer.id}/keys`;
        const terms = { name: "Key", scopes: ["inference"], requests_per_minute: 1_000_000 };
        return (await testbed.ask<{ key: string }>("POST", path, terms)).key;
      }),
    );
    const body = loadBody(PAUSE_MS);
    const targetsOf = (keys: readonly string[]) => keys.map((key) => ({ url, key, body }));
    await sendLoad(targetsOf(busyKeys), { atOnce: 64 }, ALONE_SECONDS);
    const quietTargets = targetsOf([quietCustomer.key]);
    const alone = await sendLoad(quietTargets, { perSecond: QUIET_PER_SECOND }, ALONE_SECONDS);
    say(
      `Alone: p50 ${quantileMs(alone, 0.5).toFixed(0)} ms. Now beside ${QUIET_PER_SECOND * PRESSURE} a second for ${seconds} s.`,
    );
    const [quiet, busy] = await Promise.all([
      sendLoad(quietTargets, { perSecond: QUIET_PER_SECOND }, seconds),
      sendLoad(targetsOf(busyKeys), { perSecond: QUIET_PER_SECOND * PRESSURE }, seconds),
    ]);
    const failed = quiet.filter(({ status }) => status !== 200);
    const aloneMs = quantileMs(alone, 0.5);
    const besideMs = quantileMs(quiet, 0.5);
    const broken: BrokenPromise[] = [];
    if (failed.length > 0)
      broken.push({
        promise: "A quiet account gets every answer beside a busy one.",
        what: `${failed.length} of ${quiet.length}: ${JSON.stringify(tally(failed.map(({ status }) => String(status))))}`,
      });
    if (besideMs > aloneMs * 2)
      broken.push({
        promise: "A quiet account's median answer takes at most twice as long beside a busy one.",
        what: `${besideMs.toFixed(0)} against ${aloneMs.toFixed(0)} ms`,
      });
    return {
      scenario: `a neighbour with ${BUSY_KEYS} keys and ${PRESSURE} × the requests`,
      seed,
      requests: { quiet: quiet.length, busy: busy.length },
      answers: tally(busy.map(({ status }) => String(status))),
      kills: {},
      notes: [
        processors,
        `Quiet: p50 ${aloneMs.toFixed(0)} and p99 ${quantileMs(alone, 0.99).toFixed(0)} ms alone, ${besideMs.toFixed(0)} and ${quantileMs(quiet, 0.99).toFixed(0)} ms beside the busy one.`,
      ],
      broken: [...broken, ...(await stopAndAudit(testbed))],
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    await testbed.close();
  }
}
