import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { fromCredits } from "@trunkline/core/money.ts";
import { awaitQuiet, stopAndAudit } from "../await-quiet.ts";
import { exchange } from "../exchange.ts";
import { chargedTo } from "../ledger-state.ts";
import { loadBody } from "../load-generator.ts";
import type { ScenarioOptions } from "../options.ts";
import { type BrokenPromise, type Report, tally } from "../report.ts";
import { Testbed } from "../testbed.ts";

const CREDITS = 1_000;
const SLOTS = 8;
const WRITE_WAIT_MS = 1_000;
/** More than the sockets' buffers on both sides take. */
const PICTURE_BYTES = 9_000_000;
const ASK_EVERY_MS = 100;
/** Within which others are served again, on any machine. */
const SERVED_MS_MAX = 60_000;

/** Many clients ask for large answers and do not read them: others are served again after the deadline. */
export async function stalledReaders(options: ScenarioOptions): Promise<Report> {
  const { seed, say, clients = 100, rounds = 3 } = options;
  const startedAt = performance.now();
  const painter = await startPainter();
  const stalled: Socket[] = [];
  const testbed = await Testbed.open({
    instances: 1,
    keep: options.keep ?? false,
    limits: { concurrent_requests: SLOTS, write_wait_ms: WRITE_WAIT_MS, account_concurrent_requests: SLOTS },
    models: [
      {
        name: "painter",
        type: "image",
        endpoint: painter.endpoint,
        credential: "chaos-credential",
        pricing: { per_image: 1 },
        limits: { response_bytes: 2 * PICTURE_BYTES },
      },
    ],
  }).catch((error: unknown) => {
    painter.stop();
    throw error;
  });
  try {
    const url = testbed.up[0]?.url ?? "";
    const idle = await testbed.openCustomer(CREDITS);
    const other = await testbed.openCustomer(CREDITS);
    const broken: BrokenPromise[] = [];
    const answers: string[] = [];
    const waits: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      const began = performance.now();
      const already = painter.calls();
      for (let client = 0; client < clients; client++) stalled.push(askWithoutReading(url, idle.key));
      while (painter.calls() === already && performance.now() - began < SERVED_MS_MAX) await wait(ASK_EVERY_MS / 4);
      const order = { url, method: "POST", path: "/v1/ai/request", key: other.key, body: loadBody(1) };
      let status = 0;
      while (status !== 200 && performance.now() - began < SERVED_MS_MAX) {
        status = (await exchange(testbed.agent, order)).status;
        answers.push(String(status));
        if (status !== 200) await wait(ASK_EVERY_MS);
      }
      waits.push(performance.now() - began);
      say(`Round ${round} of ${rounds}: another one is served after ${Math.round(performance.now() - began)} ms.`);
      if (status !== 200)
        broken.push({ promise: "Others are served again after the write deadline.", what: `${status} after a minute` });
    }
    // All of the stalled clients still hold their connections: their holds must be gone all the same.
    const { ledger, broken: left } = await awaitQuiet(testbed, [idle, other], CREDITS);
    const charged = chargedTo(idle.id, ledger);
    const painted = fromCredits(painter.calls()) ?? 0n;
    if (charged !== painted)
      broken.push({
        promise: "Each complete answer is charged once, read or not.",
        what: `${painter.calls()} pictures were painted, ${charged} nano-credits charged`,
      });
    return {
      scenario: `${clients} clients that do not read, ${SLOTS} places, ${rounds} rounds`,
      seed,
      requests: { stalled: stalled.length, others: answers.length },
      answers: tally(answers),
      kills: {},
      notes: [
        `Pictures painted and charged: ${painter.calls()}. Others were served after ${waits.map((ms) => Math.round(ms)).join(", ")} ms; the write deadline is ${WRITE_WAIT_MS} ms.`,
      ],
      broken: [...broken, ...left, ...(await stopAndAudit(testbed))],
      seconds: (performance.now() - startedAt) / 1000,
    };
  } finally {
    for (const socket of stalled) socket.destroy();
    painter.stop();
    await testbed.close();
  }
}

/** A client that sends its request and takes no byte of the answer. */
function askWithoutReading(url: string, key: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on("error", () => undefined).pause();
  const body = JSON.stringify({ input: "A river", model: "painter" });
  socket.write(
    `POST /v1/image HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

/** A provider of pictures that are larger than what the sockets buffer. */
async function startPainter() {
  const picture = JSON.stringify({ output: { image_url: `data:image/png;base64,${"A".repeat(PICTURE_BYTES)}` } });
  let calls = 0;
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    request.resume().on("end", () => {
      calls += 1;
      response.end(picture);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/generate`,
    calls: () => calls,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
