const CHECK_MS = 3_000;
/** A process that takes less of a processor than this is at rest. Its timers and the notices of peers stay below it. */
const REST_SHARE = 0.1;
/** Growth since the last time that is worth a collection. */
const GROWTH_BYTES = 24 * 1024 * 1024;

/**
 * Gives memory back to the system whenever nothing is asked: V8 keeps the room that the start or a burst needed, about
 * 30 MB after a start. It takes a few dozen milliseconds, so never while a request runs.
 */
export function startIdleCollection(isServing: () => boolean): () => void {
  let lastCpuMs = cpuMs();
  let bytesBefore = 0;
  const timer = setInterval(() => {
    const usedMs = cpuMs() - lastCpuMs;
    lastCpuMs += usedMs;
    if (isServing() || usedMs > CHECK_MS * REST_SHARE) return;
    if (process.memoryUsage.rss() < bytesBefore + GROWTH_BYTES) return;
    // Until it has ended, nothing counts as growth.
    bytesBefore = Number.POSITIVE_INFINITY;
    void collect().then(() => {
      bytesBefore = process.memoryUsage.rss();
    });
  }, CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Collects all garbage and shrinks the heap. Without an inspector, as in some builds of Node, nothing happens. */
async function collect(): Promise<void> {
  try {
    const { Session } = await import("node:inspector");
    const session = new Session();
    session.connect();
    await new Promise((resolve) => session.post("HeapProfiler.collectGarbage", resolve));
    session.disconnect();
  } catch {
    // The memory stays with the process: slower to share, and as correct.
  }
}
