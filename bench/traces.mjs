// @ts-check
/**
 * What traces of every request cost: the processor time of a gateway that sends them against one that does not, in turns, as the
 * machine's speed changes from one minute to the next. `npm run bench:traces`.
 */
import { BenchFailure } from "./bench-failure.mjs";
import { chatOrder, gatewayTarget, sample, warmUp } from "./speed-targets.mjs";
import { Stand } from "./stand.mjs";
import { digits, median } from "./statistics.mjs";

const ROUNDS = 40;
const WARM_UP_REQUESTS = 8_000;
const ROUND_MS = 700;
const CONNECTIONS = 64;

async function bench() {
  const stand = new Stand();
  try {
    await stand.open();
    const receiver = await stand.startReceiver();
    const common = { hasChatModelsAlone: true };
    const plain = gatewayTarget("without", await stand.startGateway({ ...common, data: "plain" }));
    const traced = gatewayTarget(
      "with traces",
      await stand.startGateway({
        ...common,
        data: "traced",
        variables: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver, OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" },
      }),
    );
    const targets = [plain, traced];
    for (const target of targets) await warmUp(stand, target, WARM_UP_REQUESTS);
    /** @type {number[]} */
    const shares = [];
    for (let round = 0; round < ROUNDS; round++) {
      // Which one is first changes, so that neither gets the warmer machine.
      const [first, second] = round % 2 === 0 ? targets : targets.toReversed();
      if (first === undefined || second === undefined) throw new BenchFailure("There is nothing to compare.");
      const order = { connections: CONNECTIONS, forMs: ROUND_MS };
      const one = await sample(stand, first, { ...chatOrder(first), ...order });
      const other = await sample(stand, second, { ...chatOrder(second), ...order });
      const [without, withTraces] = first === plain ? [one, other] : [other, one];
      shares.push(withTraces.cpuUs / without.cpuUs - 1);
      process.stdout.write(`${digits(without.cpuUs, 0)} µs, with traces ${digits(withTraces.cpuUs, 0)} µs\n`);
    }
    process.stdout.write(
      `Traces of every request take ${digits(100 * median(shares), 1)} % more (median of ${ROUNDS} pairs).\n`,
    );
  } finally {
    await stand.close();
  }
}

await bench();
