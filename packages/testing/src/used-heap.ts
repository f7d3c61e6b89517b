import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes of the heap that something still refers to: all garbage is collected first. */
function usedHeapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

const TRIES = 6;

/**
 * The least that was measured, of several tries until it is below `bound`: what other tests left behind in this process may
 * come and go meanwhile, and what is really held is held each time.
 */
export async function leastBytes(bound: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && least >= bound; tries++) least = Math.min(least, await measure());
  return least;
}

/** What is made once, such as compiled code, is made by the first ones. */
const FIRST_ONES = 5;

/** How many bytes of the heap each of `count` things holds that `make` makes, while all of them are held. */
export async function heldBytesEach(
  count: number,
  make: (index: number) => unknown,
): Promise<{ readonly bytes: number; readonly held: readonly unknown[] }> {
  const held: unknown[] = new Array(count);
  let before = 0;
  for (let index = 0; index < count; index++) {
    if (index === FIRST_ONES) before = usedHeapBytes();
    held[index] = await make(index);
  }
  return { bytes: (usedHeapBytes() - before) / (count - FIRST_ONES), held };
}
