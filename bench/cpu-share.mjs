// @ts-check
/** Gives processes a share of one processor core, by Linux's control groups. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Short, so that a process that has used its share waits for milliseconds. */
const PERIOD_US = 10_000;
const UNIFIED = "/sys/fs/cgroup";
const FIRST_VERSION = "/sys/fs/cgroup/cpu";

/** Limits each of the processes. @param {readonly number[]} pids @param {number} share Of one core. @returns {(() => void) | undefined} Lets go of them; undefined where this system does not allow it. */
export function limitEach(pids, share) {
  const isUnified = existsSync(join(UNIFIED, "cgroup.controllers"));
  const root = isUnified ? UNIFIED : FIRST_VERSION;
  const folders = pids.map((pid) => ({ pid, folder: join(root, `trunkline-bench-${pid}`) }));
  const letGo = () => {
    for (const { pid, folder } of folders.filter(({ folder }) => existsSync(folder))) {
      // A process that has ended is in no group any more.
      tryTo(() => writeFileSync(join(root, "cgroup.procs"), String(pid)));
      tryTo(() => rmdirSync(folder));
    }
  };
  const isLimited = tryTo(() => {
    if (isUnified && !readFileSync(join(root, "cgroup.subtree_control"), "utf8").split(/\s/).includes("cpu"))
      writeFileSync(join(root, "cgroup.subtree_control"), "+cpu");
    const quotaUs = Math.round(PERIOD_US * share);
    for (const { pid, folder } of folders) {
      mkdirSync(folder, { recursive: true });
      if (isUnified) writeFileSync(join(folder, "cpu.max"), `${quotaUs} ${PERIOD_US}`);
      else {
        writeFileSync(join(folder, "cpu.cfs_period_us"), String(PERIOD_US));
        writeFileSync(join(folder, "cpu.cfs_quota_us"), String(quotaUs));
      }
      writeFileSync(join(folder, "cgroup.procs"), String(pid));
    }
  });
  if (isLimited) return letGo;
  letGo();
  return undefined;
}

/** @param {() => void} change */
function tryTo(change) {
  try {
    change();
    return true;
  } catch {
    return false;
  }
}
