import type { RunningCall } from "./provider-stream.ts";

/** What a race is about. */
export interface Race {
  readonly first: RunningCall;
  /** Resolves when the first has been silent for so long that another one is asked, too. */
  readonly patience: (signal: AbortSignal) => Promise<void>;
  /** The other one, not called yet; undefined where there is none. */
  readonly second: () => Promise<RunningCall | undefined>;
}

/**
 * Whoever of two speaks first; undefined where both failed. The second is called only where the first is silent for
 * longer than it should be. Whoever is still silent when another speaks is called off.
 */
export async function raceTwo({ first, patience, second }: Race): Promise<RunningCall | undefined> {
  let isSilent = true;
  const speaks = first.speak().finally(() => {
    isSilent = false;
  });
  const running = new Map([[first, speaks]]);
  try {
    if (!(await isLate(speaks, patience))) return await firstOf(running);
    const other = await second();
    // The first may have spoken while the money for the second was set aside.
    if (isSilent || first.failure !== undefined) start(other, running);
    else other?.drop();
    return await firstOf(running);
  } finally {
    for (const call of running.keys()) call.callOff();
  }
}

function start(call: RunningCall | undefined, running: Map<RunningCall, Promise<boolean>>): void {
  if (call !== undefined) running.set(call, call.speak());
}

async function isLate(speaks: Promise<boolean>, patience: Race["patience"]): Promise<boolean> {
  const timer = new AbortController();
  const late = patience(timer.signal).then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([late, speaks.then(() => false)]);
  } finally {
    timer.abort();
  }
}

/** The first that speaks. It and those that failed are taken out of those that run. */
async function firstOf(running: Map<RunningCall, Promise<boolean>>): Promise<RunningCall | undefined> {
  while (running.size > 0) {
    const { call, spoke } = await Promise.race(
      [...running].map(async ([one, speaks]) => ({ call: one, spoke: await speaks })),
    );
    running.delete(call);
    if (spoke) return call;
  }
  return undefined;
}
