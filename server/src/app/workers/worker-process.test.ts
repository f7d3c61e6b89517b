import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WorkerProcess } from "./worker-process.ts";

/** Reports that it is ready, gives signs of life, and hangs when its metrics are asked for. */
const PROGRAM = `
process.on("message", ({ kind }) => {
  if (kind === "open") process.send({ kind: "ready", startBanner: "" });
  if (kind === "report-life") process.send({ kind: "alive" });
  if (kind === "report-metrics") for (;;);
});`;

const [, program = ""] = process.argv;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "trunkline-worker-"));
  await writeFile(join(folder, "worker.cjs"), PROGRAM);
  // Workers run the program that this process runs.
  process.argv[1] = join(folder, "worker.cjs");
});
afterAll(async () => {
  process.argv[1] = program;
  await rm(folder, { recursive: true, force: true });
});

it("is ended once it has left as many questions for a sign of life unanswered, and not before", async () => {
  const worker = new WorkerProcess(1, () => undefined);
  expect(worker.endIfHung(0)).toBe(false);
  worker.tell({ kind: "open", terms: { number: 1, workers: 1, store: undefined, isFirst: true } });
  await worker.ready;
  // Each answer comes before the next question: it may be asked as often as it likes.
  for (let time = 0; time < 5; time++) {
    expect(worker.endIfHung(1)).toBe(false);
    await expect.poll(() => worker.unanswered).toBe(0);
  }
  worker.tell({ kind: "report-metrics" });
  expect([worker.endIfHung(2), worker.endIfHung(2), worker.endIfHung(2)]).toEqual([false, false, true]);
  expect(await worker.ended).toEqual({ how: "SIGKILL", reason: undefined });
  expect(worker.isStopping).toBe(false);
});
