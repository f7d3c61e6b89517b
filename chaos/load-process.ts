import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { LoadGenerator, type LoadTarget, type Sample } from "./load-generator.ts";

/** What a process is told to send, and for how long. */
interface LoadOrder {
  readonly targets: readonly LoadTarget[];
  readonly pace: { readonly perSecond: number } | { readonly atOnce: number };
  readonly seconds: number;
}

/**
 * Sends load from a process of its own and resolves with how each request ended. A generator in the process of the
 * provider would measure its own delays and theirs.
 */
export function sendLoad(
  targets: readonly LoadTarget[],
  pace: LoadOrder["pace"],
  seconds: number,
): Promise<readonly Sample[]> {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: ["--import", "tsx"] });
  child.send({ targets, pace, seconds } satisfies LoadOrder);
  return samplesOf(child).finally(() => child.kill());
}

function samplesOf(child: ChildProcess): Promise<readonly Sample[]> {
  return new Promise((resolve, reject) => {
    child.once("message", (samples) => resolve(samples as readonly Sample[]));
    child.once("error", reject);
    child.once("exit", (code, signal) => reject(new Error(`The load generator ended early (${code ?? signal}).`)));
  });
}

async function obey({ targets, pace, seconds }: LoadOrder): Promise<readonly Sample[]> {
  const generator = new LoadGenerator(targets);
  if ("perSecond" in pace) await generator.sendAtRate(pace.perSecond, seconds);
  else await generator.sendAtOnce(pace.atOnce, seconds);
  generator.close();
  return generator.samples;
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.send !== undefined)
  process.once("message", (order) => void obey(order as LoadOrder).then((samples) => process.send?.(samples)));
