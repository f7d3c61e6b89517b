import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/**
 * Gives a service and its processes one half of the processors, and this process with all that it starts the other, as if
 * the load came from another machine. Returns what a report says about it.
 */
export function separateProcessors(servicePid: number | undefined): string {
  const count = availableParallelism();
  const shared = "The service and the load share all processors.";
  if (servicePid === undefined || process.platform !== "linux" || count < 2) return shared;
  const half = Math.floor(count / 2);
  const own = [servicePid, ...descendantsOf(servicePid)].every((pid) => pin(pid, `0-${half - 1}`));
  if (!own || !pin(process.pid, `${half}-${count - 1}`)) return shared;
  return `The service and its store have ${half} of ${count} processors, the load and the provider the others.`;
}

function pin(pid: number, processors: string): boolean {
  return spawnSync("taskset", ["-a", "-c", "-p", processors, String(pid)], { stdio: "ignore" }).status === 0;
}

function descendantsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}
