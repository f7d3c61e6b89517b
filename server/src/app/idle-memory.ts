const CHECK_MS = 3_000;
/** A process that takes less of a processor than this is at rest. Its timers and the notices of peers stay below it. */
const REST_SHARE = 0.1;
/** Growth that is worth a collection. */
const GROWTH_BYTES = 24 * 1024 * 1024;
/** Growth that is worth one also where requests may come soon. */
const LARGE_GROWTH_BYTES = 256 * 1024 * 1024;
/** A process without a request for this long is not in use. */
const UNUSED_MS = 10 * 60_000;

/**
 * Gives memory back to the system while nothing is asked: about 30 MB that V8 keeps after a start, and what requests
 * needed. A collection at rest takes a few dozen milliseconds, and costs the compiled code: V8 drops what was compiled
 * for objects of which none is left, and the next thousands of requests take more than twice the time. So it is made
 * before the first requests, when none have come for long, or where there is much to give back.
 */
export function startIdleCollection(isServing: () => boolean): () => void {
  let lastCpuMs = cpuMs();
  let servedAtMs = Number.NEGATIVE_INFINITY;
  let bytesBefore = 0;
  const timer = setInterval(() => {
    const usedMs = cpuMs() - lastCpuMs;
    lastCpuMs += usedMs;
    const nowMs = performance.now();
    if (isServing()) {
      servedAtMs = nowMs;
      // Requests came before the first collection: what the start has left is no growth.
      if (bytesBefore === 0) bytesBefore = process.memoryUsage.rss();
    }
    if (servedAtMs === nowMs || usedMs > CHECK_MS * REST_SHARE) return;
    const growth = nowMs - servedAtMs > UNUSED_MS ? GROWTH_BYTES : LARGE_GROWTH_BYTES;
    if (process.memoryUsage.rss() < bytesBefore + growth) return;
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
