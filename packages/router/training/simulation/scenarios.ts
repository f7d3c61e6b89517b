import type { ProviderEvent, Scenario } from "./run-simulation.ts";
import { type Condition, HEALTHY, type Profile } from "./simulated-provider.ts";

const profile = (
  name: string,
  [inputPrice, outputPrice]: readonly [number, number],
  [firstPartMs, tokensPerSecond]: readonly [number, number],
  quality: number,
  [wordiness, claimedMs]: readonly [number, number],
): Profile => ({
  name,
  inputPrice,
  outputPrice,
  firstPartMs,
  tokensPerSecond,
  quality,
  verbosity: wordiness,
  claimedMs,
});

/** Each strategy has a best and a second-best model. Some claims are too good, and the toy is below any floor. */
const PROVIDERS: readonly Profile[] = [
  profile("penny", [0.2, 0.4], [500, 60], 0.62, [1, 2_500]),
  profile("dime", [0.3, 0.6], [600, 70], 0.66, [1.1, 2_500]),
  profile("swift", [1, 2], [120, 250], 0.7, [0.9, 800]),
  profile("sprint", [1.2, 2.4], [180, 200], 0.74, [1, 800]),
  profile("steady", [2, 4], [400, 100], 0.84, [1.1, 2_000]),
  profile("scholar", [10, 30], [900, 60], 0.95, [1.2, 4_000]),
  profile("toy", [0.01, 0.02], [700, 50], 0.25, [1, 3_000]),
  profile("farthing", [0.1, 0.2], [550, 65], 0.64, [1, 2_500]),
];

const SECOND = 1_000;

const conditionChange = (atSecond: number, provider: string, name: string, condition: Condition): ProviderEvent => ({
  atMs: atSecond * SECOND,
  name,
  provider,
  change: (one) => {
    one.condition = condition;
  },
});

const priceChange = (atSecond: number, provider: string, name: string, factor: number): ProviderEvent => ({
  atMs: atSecond * SECOND,
  name,
  provider,
  change: (one) => one.changePrice(factor),
});

/** The times of the events in the long scenario, in milliseconds. The tables use them. */
export const TIMELINE = {
  slowed: 60 * SECOND,
  unslowed: 120 * SECOND,
  died: 180 * SECOND,
  healed: 240 * SECOND,
  dearer: 300 * SECOND,
  cheaper: 345 * SECOND,
  arrived: 390 * SECOND,
  limited: 435 * SECOND,
  unlimited: 480 * SECOND,
  bestDied: 510 * SECOND,
  bestHealed: 555 * SECOND,
  end: 600 * SECOND,
} as const;

/** Ten minutes with every kind of event. */
export function liveConditions(seed: string, perSecond: number): Scenario {
  return {
    seed,
    perSecond,
    durationMs: TIMELINE.end,
    profiles: PROVIDERS,
    arrivals: { farthing: TIMELINE.arrived },
    providerEvents: [
      conditionChange(60, "swift", "swift slows down tenfold", { kind: "well", slowness: 10 }),
      conditionChange(120, "swift", "swift is fast again", HEALTHY),
      conditionChange(180, "penny", "penny dies", { kind: "refuses" }),
      conditionChange(240, "penny", "penny is back", HEALTHY),
      priceChange(300, "penny", "penny costs four times as much", 4),
      priceChange(345, "penny", "penny costs what it did", 1),
      conditionChange(435, "farthing", "farthing limits to 20 calls in 10 s", {
        kind: "limits",
        calls: 20,
        spanMs: 10 * SECOND,
      }),
      conditionChange(480, "farthing", "farthing limits no more", HEALTHY),
      conditionChange(510, "scholar", "scholar answers 500", { kind: "errors" }),
      conditionChange(555, "scholar", "scholar is back", HEALTHY),
    ],
  };
}

/** The kinds of complete failure. A hanging provider times out after a second, as registered. */
export const FAILURES = ["refuses", "errors", "garbles", "hangs"] as const;
export type FailureKind = (typeof FAILURES)[number];

const FIRST_BYTE_MS = SECOND;

/** When the best of three fails, and when it recovers. */
export const OUTAGE = { fromMs: 20 * SECOND, toMs: 80 * SECOND, endMs: 140 * SECOND } as const;

/** Three providers that can all serve; the best fails completely for a minute. */
export function oneOfThreeFails(seed: string, perSecond: number, kind: FailureKind): Scenario {
  return {
    seed: `${seed} ${kind}`,
    perSecond,
    durationMs: OUTAGE.endMs,
    profiles: [
      profile("first", [0.2, 0.4], [200, 200], 0.9, [1, 1_000]),
      profile("second", [0.4, 0.8], [300, 150], 0.88, [1, 1_500]),
      profile("third", [0.8, 1.6], [400, 100], 0.86, [1, 2_000]),
    ],
    arrivals: {},
    firstByteMs: FIRST_BYTE_MS,
    providerEvents: [
      conditionChange(OUTAGE.fromMs / SECOND, "first", "first fails", { kind }),
      conditionChange(OUTAGE.toMs / SECOND, "first", "first is back", HEALTHY),
    ],
  };
}
