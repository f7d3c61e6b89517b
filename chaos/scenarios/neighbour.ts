import { stopAndAudit } from "../await-quiet.ts";
import { LoadGenerator, loadBody, quantileMs } from "../load-generator.ts";
import type { ScenarioOptions } from "../options.ts";
import { type BrokenPromise, type Report, tally } from "../report.ts";
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
  const generators: LoadGenerator[] = [];
  try {
    const url = testbed.up[0]?.url ?? "";
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
    const generate = (keys: readonly string[]) => {
      const generator = new LoadGenerator(keys.map((key) => ({ url, key, body })));
      generators.push(generator);
      return generator;
    };
    await generate(busyKeys).sendAtOnce(64, ALONE_SECONDS);
    const alone = generate([quietCustomer.key]);
    await alone.sendAtRate(QUIET_PER_SECOND, ALONE_SECONDS);
    say(
      `Alone: p50 ${quantileMs(alone.samples, 0.5).toFixed(0)} ms. Now beside ${QUIET_PER_SECOND * PRESSURE} a second for ${seconds} s.`,
    );
    const quiet = generate([quietCustomer.key]);
    const busy = generate(busyKeys);
    await Promise.all([
      quiet.sendAtRate(QUIET_PER_SECOND, seconds),
      busy.sendAtRate(QUIET_PER_SECOND * PRESSURE, seconds),
    ]);
    const failed = quiet.samples.filter(({ status }) => status !== 200);
    const aloneMs = quantileMs(alone.samples, 0.5);
    const besideMs = quantileMs(quiet.samples, 0.5);
    const broken: BrokenPromise[] = [];
    if (failed.length > 0)
      broken.push({
        promise: "A quiet account gets every answer beside a busy one.",
        what: `${failed.length} of ${quiet.samples.length}: ${JSON.stringify(tally(failed.map(({ status }) => String(status))))}`,
      });
    if (besideMs > aloneMs * 2)
      broken.push({
        promise: "A quiet account's median answer takes at most twice as long beside a busy one.",
        what: `${besideMs.toFixed(0)} against ${aloneMs.toFixed(0)} ms`,
      });
    for (const generator of generators) generator.close();
    return {
      scenario: `a neighbour with ${BUSY_KEYS} keys and ${PRESSURE} × the requests`,
      seed,
      requests: { quiet: quiet.samples.length, busy: busy.samples.length },
      answers: tally(busy.samples.map(({ status }) => String(status))),
      kills: {},
      notes: [
        `Quiet: p50 ${aloneMs.toFixed(0)} and p99 ${quantileMs(alone.samples, 0.99).toFixed(0)} ms alone, ${besideMs.toFixed(0)} and ${quantileMs(quiet.samples, 0.99).toFixed(0)} ms beside the busy one.`,
      ],
      broken: [...broken, ...(await stopAndAudit(testbed))],
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    for (const generator of generators) generator.close();
    await testbed.close();
  }
}
