import { describe, expect, it } from "vitest";
import { BatchQueue, type BatchQueueOptions, type SendResult } from "./batch-queue.ts";

/** A queue whose receiver answers as scripted, and `sent` once the script is over. */
function openQueue(script: readonly SendResult[] = [], more: Partial<BatchQueueOptions<string>> = {}) {
  const batches: (readonly string[])[] = [];
  const drops: string[] = [];
  const answers = [...script];
  const queue = new BatchQueue<string>({
    send: async (items) => {
      batches.push(items);
      return answers.shift() ?? { kind: "sent" };
    },
    sizeOf: (item) => item.length,
    delayMs: 60_000,
    batchItemsMax: 3,
    batchSizeMax: 100,
    queueSizeMax: 200,
    retryDelaysMs: [0, 0],
    onDropped: (reason, items) => void drops.push(`${items}: ${reason}`),
    ...more,
  });
  return { queue, batches, drops };
}

const LATER: SendResult = { kind: "later", reason: "busy" };

describe("BatchQueue", () => {
  it("sends full batches at once and the rest when it is told to", async () => {
    const { queue, batches } = openQueue();
    for (const item of ["a", "b", "c", "d"]) queue.add(item);
    await queue.flush();
    expect(batches).toEqual([["a", "b", "c"], ["d"]]);
    expect([queue.sent, queue.dropped, queue.waiting]).toEqual([4, 0, 0]);
  });

  it("cuts batches by their size, and sends an item that is larger than a batch by itself", async () => {
    const { queue, batches } = openQueue();
    const [small, large] = ["s".repeat(60), "l".repeat(120)];
    queue.add(small);
    queue.add(large);
    await queue.flush();
    expect(batches).toEqual([[small], [large]]);
  });

  it("tries again what may succeed later, and drops it after the last attempt", async () => {
    const patient = openQueue([LATER, { ...LATER, afterMs: 0 }]);
    patient.queue.add("a");
    await patient.queue.flush();
    expect([patient.batches.length, patient.queue.sent]).toEqual([3, 1]);
    const hopeless = openQueue([LATER, LATER, LATER]);
    hopeless.queue.add("a");
    await hopeless.queue.flush();
    expect(hopeless.drops).toEqual(["1: busy"]);
    expect([hopeless.queue.sent, hopeless.queue.dropped]).toEqual([0, 1]);
  });

  it("drops at once what is refused, and what fails in an unexpected way, and goes on", async () => {
    const { queue, batches, drops } = openQueue([{ kind: "rejected", reason: "400" }]);
    queue.add("a");
    await queue.flush();
    queue.add("b");
    await queue.flush();
    expect(batches).toHaveLength(2);
    expect(drops).toEqual(["1: 400"]);
    const broken = openQueue([], {
      send: async () => {
        throw new Error("a bug");
      },
    });
    broken.queue.add("a");
    await broken.queue.flush();
    expect(broken.drops).toEqual(["1: a bug"]);
  });

  it("takes no more than fits, and says so once", () => {
    const { queue, drops } = openQueue([], { batchItemsMax: 1_000, batchSizeMax: 1_000 });
    for (let count = 0; count < 30; count++) queue.add("x".repeat(10));
    expect(queue.waiting).toBe(20);
    expect(queue.dropped).toBe(10);
    expect(drops).toEqual(["1: the queue is full"]);
  });

  it("sends what waits when it stops, for as long as it may, and takes nothing more", async () => {
    const { queue, batches } = openQueue();
    queue.add("a");
    await queue.stop(60_000);
    queue.add("b");
    expect(batches).toEqual([["a"]]);
    const stuck = openQueue([], {
      send: (_items, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")));
        }),
    });
    stuck.queue.add("a");
    await stuck.queue.stop(0);
    expect(stuck.drops).toEqual(["1: the service stopped"]);
  });
});
