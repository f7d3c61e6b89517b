import { setTimeout as wait } from "node:timers/promises";
import { fromCredits } from "@trunkline/core/money.ts";
import { awaitQuiet, stopAndAudit } from "../await-quiet.ts";
import { type ClientRecord, recordOf } from "../client-log.ts";
import { exchange } from "../exchange.ts";
import { HOSTILE_SHAPES, HostileProvider } from "../hostile-provider.ts";
import { loadBody, quantileMs, type Sample } from "../load-generator.ts";
import type { ScenarioOptions } from "../options.ts";
import { type BrokenPromise, type Report, tally } from "../report.ts";
import { Testbed } from "../testbed.ts";

const CREDITS = 100;
const MAX_TOKENS = 50;
/** What 100 tokens of input and the most tokens of output cost: no hold for these requests is higher. */
const COST_MAX = fromCredits(0.002) ?? 0n;
const LIMITS = { first_byte_ms: 1_500, silence_ms: 1_500, whole_ms: 5_000, response_bytes: 4_000_000 };
const HONEST_EVERY_MS = 50;
/** Longer than any machine takes for a short answer, if nothing holds it up. */
const HONEST_MS_MAX = 30_000;
const STATUSES: ReadonlySet<number> = new Set([200, 403, 502, 503, 504]);

/** Providers answer as no honest one would: nobody pays more than was held, and requests to others stay fast. */
export async function hostileProvider(options: ScenarioOptions): Promise<Report> {
  const { seed, say, requests = 5, clients = 8 } = options;
  const startedAt = performance.now();
  const provider = await HostileProvider.start();
  const testbed = await Testbed.open({
    instances: 1,
    keep: options.keep ?? false,
    models: Object.keys(HOSTILE_SHAPES).map((name) => modelOf(name, provider)),
  }).catch((error: unknown) => {
    provider.stop();
    throw error;
  });
  try {
    const customer = await testbed.openCustomer(CREDITS);
    const honest = askHonestly(testbed, (await testbed.openCustomer(CREDITS)).key);
    const orders = Array.from({ length: requests }, () => Object.keys(HOSTILE_SHAPES))
      .flat()
      .flatMap((shape) => [
        { shape, path: "/v1/ai/request" },
        { shape, path: "/v1/stream" },
      ]);
    say(`${orders.length} requests to ${Object.keys(HOSTILE_SHAPES).length} hostile providers.`);
    const records: ClientRecord[] = [];
    const next = orders.values();
    const send = async () => {
      for (const { shape, path } of next) {
        const parameters = { ticket: shape, max_tokens: MAX_TOKENS };
        const body = { task: "chat", input: "A few words about rivers, please.", model: shape, parameters };
        const sentAt = performance.now();
        const url = testbed.up[0]?.url ?? "";
        const ending = await exchange(testbed.agent, { url, method: "POST", path, key: customer.key, body });
        const sending = { kind: shape, ticket: shape, accountId: customer.id, instance: "instance-1", path, sentAt };
        records.push(recordOf({ ...sending, idempotencyKey: undefined }, ending));
      }
    };
    await Promise.all(Array.from({ length: clients }, send));
    const samples = await honest.stop();
    const { ledger, broken } = await awaitQuiet(testbed, [customer], CREDITS);
    const dear = [...ledger.requests].filter(
      ([, booked]) => booked.accountId === customer.id && booked.cost > COST_MAX,
    );
    const wrong = records.filter(
      ({ outcome, status }) => outcome === "silent" || (outcome === "answered" && !STATUSES.has(status)),
    );
    const refused = samples.filter(({ status, ms }) => status !== 200 || ms > HONEST_MS_MAX);
    return {
      scenario: `${Object.keys(HOSTILE_SHAPES).length} hostile providers`,
      seed,
      requests: { whole: orders.length / 2, streamed: orders.length / 2, "to an honest provider": samples.length },
      answers: tally(records.map(({ outcome, status }) => (outcome === "answered" ? String(status) : outcome))),
      kills: {},
      notes: [
        `Meanwhile an honest provider's answers took ${quantileMs(samples, 0.5).toFixed(0)} ms at the median, p99 ${quantileMs(samples, 0.99).toFixed(0)} ms.`,
        `Charged: ${[...new Set(records.filter(({ cost = 0n }) => cost > 0n).map(({ kind }) => kind))].join(", ")}.`,
      ],
      broken: [
        ...broken,
        ...dear.map(([id, { cost }]) => ({
          promise: "Nobody pays more than was held.",
          what: `${id} cost ${cost}`,
          requestIds: [id],
        })),
        ...wrong.map(({ kind, path, status, outcome }) => ({
          promise: "A hostile provider is a 502, 503 or 504, or its answer is given.",
          what: `${kind} at ${path}: ${outcome} ${status}`,
        })),
        ...refused.map(
          ({ status, ms }): BrokenPromise => ({
            promise: "Requests to other providers are served meanwhile, and soon.",
            what: `${status} after ${ms.toFixed(0)} ms`,
          }),
        ),
        ...(await stopAndAudit(testbed)),
      ],
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    provider.stop();
    await testbed.close();
  }
}

function modelOf(name: string, provider: HostileProvider) {
  return {
    name,
    type: "text",
    endpoint: provider.endpointOf(name),
    credential: "chaos-credential",
    pricing: { input_per_1k_tokens: 0.01, output_per_1k_tokens: 0.02 },
    capabilities: ["chat"],
    streaming: true,
    max_output_tokens: 400,
    limits: LIMITS,
  };
}

/** Asks an honest provider again and again. Its end tells how each of the requests went. */
function askHonestly(testbed: Testbed, key: string) {
  let isOver = false;
  const asking = (async () => {
    const samples: Sample[] = [];
    while (!isOver) {
      const startedAt = performance.now();
      const order = { url: testbed.up[0]?.url ?? "", method: "POST", path: "/v1/ai/request", key, body: loadBody(1) };
      const { status } = await exchange(testbed.agent, order);
      samples.push({ status, ms: performance.now() - startedAt, isFirst: false });
      await wait(HONEST_EVERY_MS);
    }
    return samples;
  })();
  return {
    stop: () => {
      isOver = true;
      return asking;
    },
  };
}
