import { CRASH_POINTS, type CrashPoint } from "../server/src/app/config/crash-plan.ts";
import type { Dice } from "./dice.ts";

/** How a life ends: from outside, alone or with its store; before it is up; or by its own hand at a named place. */
export type Place = "outside" | "with its store" | "while starting" | CrashPoint;

/** What is to become of one life of an instance. */
export interface KillPlan {
  readonly place: Place;
  /** How long after it is up, or after it begins to start. */
  readonly afterMs: number;
  /** The crash points that the instance is started with. */
  readonly crashPoints: string | undefined;
}

const OWN_HAND_WEIGHT = 1.5;
const RATES = [0.2, 0.5, 1] as const;
const STARTING_MS = 800;

/** Draws the end of one life. Of several instances each lives so much longer, so that some one dies every so often. */
export function drawKillPlan(
  dice: Dice,
  [fromSeconds, toSeconds]: readonly [number, number],
  instances: number,
): KillPlan {
  const place = dice.weighted<Place>({
    outside: 1.5,
    // A store that several share is not one instance's to take along.
    "with its store": instances === 1 ? 1 : 0,
    "while starting": 1,
    ...ownHandWeights(),
  });
  // All are drawn whatever the place, so that each plan takes the same number of draws.
  const seed = dice.whole(1, 1_000_000);
  const rate = dice.pick(RATES);
  const life = dice.between(0, 1);
  const lifeMs = Math.round((fromSeconds + (toSeconds - fromSeconds) * life) * 1000 * instances);
  switch (place) {
    case "outside":
    case "with its store":
      return { place, afterMs: lifeMs, crashPoints: undefined };
    case "while starting":
      return { place, afterMs: life * STARTING_MS, crashPoints: undefined };
    default:
      return { place, afterMs: lifeMs, crashPoints: `seed=${seed},quiet-ms=${lifeMs},${place}=${rate}` };
  }
}

function ownHandWeights(): Record<CrashPoint, number> {
  return Object.fromEntries(CRASH_POINTS.map((point) => [point, OWN_HAND_WEIGHT])) as Record<CrashPoint, number>;
}
