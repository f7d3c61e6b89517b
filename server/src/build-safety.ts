import type { House } from "./house.ts";
import type { LiveSettings } from "./live-settings.ts";
import { readSafetyModel } from "./read-safety-model.ts";
import { CallerGuards } from "./safety/caller-guard.ts";
import { trainedDetector } from "./safety/trained-detector.ts";

/** The safety check: what is seen in a text, judged by the rules that hold for a caller at that moment. */
export function buildSafety(settings: LiveSettings): Pick<House, "guardFor"> {
  const guards = new CallerGuards(trainedDetector(readSafetyModel()));
  return { guardFor: ({ safety }) => guards.guardFor(settings.safety, safety) };
}
