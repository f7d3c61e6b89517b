import type { ProviderStream } from "./provider-stream.ts";

/** What a race is about. */
export interface HedgeRace {
  readonly first: ProviderStream;
  /** Resolves when the first has been silent for so long that another one is asked, too. */
  readonly waitUntilLate: (signal: AbortSignal) => Promise<void>;
  /** The other one, not called yet; undefined where there is none. */
  readonly second: () => Promise<ProviderStream | undefined>;
}

/**
 * Whoever of two speaks first; undefined where both failed. The second is called only where the first is silent for
 * longer than it should be. Whoever is still silent when another speaks is called off.
 */
export async function raceHedge({
  first,
  waitUntilLate: patience,
  second,
}: HedgeRace): Promise<ProviderStream | undefined> {
  let isSilent = true;
  const speaks = first.awaitFirstPart().finally(() => {
    isSilent = false;
  });
  const running = new Map([[first, speaks]]);
  try {
    if (!(await isLate(speaks, patience))) return await firstToRespond(running);
    const other = await second();
    // The first may have spoken while the money for the second was set aside.
    if (isSilent || first.failure !== undefined) startCall(other, running);
    else other?.discard();
    return await firstToRespond(running);
  } finally {
    for (const call of running.keys()) call.loseRace();
  }
}

function startCall(call: ProviderStream | undefined, running: Map<ProviderStream, Promise<boolean>>): void {
  if (call !== undefined) running.set(call, call.awaitFirstPart());
}

async function isLate(speaks: Promise<boolean>, patience: HedgeRace["waitUntilLate"]): Promise<boolean> {
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
async function firstToRespond(
  running: Map<ProviderStream, Promise<boolean>>,
): Promise<ProviderStream | undefined> {
  while (running.size > 0) {
    const { call, spoke } = await Promise.race(
      [...running].map(async ([one, speaks]) => ({ call: one, spoke: await speaks })),
    );
    running.delete(call);
    if (spoke) return call;
  }
  return undefined;
}
