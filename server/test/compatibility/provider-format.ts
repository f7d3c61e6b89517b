import type { Wire } from "@trunkline/core/model.ts";
import type { UpstreamAnswer, UpstreamRequest } from "../support/scripted-upstream.ts";
import { type Feature, SAMPLE } from "./features.ts";

/** How providers of one format answer, and what they were told. */
export interface ProviderFormat {
  readonly wire: Wire;
  readonly name: string;
  /** Its own name for a model of today, as some formats depend on that. */
  readonly model: string;
  /** The path of its API below the upstream's address. */
  readonly base: string;
  /** `words`: what it says, where that is not the sample. */
  answer(feature: Feature, words?: string): UpstreamAnswer;
  /** Where in a request the feature stands; undefined: this format has no place for it. */
  readonly placeOf: Partial<Record<Feature, (request: UpstreamRequest) => unknown>>;
}

/** In this many tokens each. */
export const TOKENS = { input: 40, output: 12, cached: SAMPLE.cachedTokens };
export const said = (feature: Feature) => (feature === "schema" ? SAMPLE.json : SAMPLE.answer);
export const callsTool = (feature: Feature) => feature === "tools" || feature === "tool-stream";
export const args = { city: SAMPLE.city };
export const refusal = (body: unknown): UpstreamAnswer => ({ status: 400, body: JSON.stringify(body) });
export const whole = (body: unknown): UpstreamAnswer => ({ body: JSON.stringify(body) });
export const streamed = (body: readonly (string | Buffer)[], type = "text/event-stream"): UpstreamAnswer => ({
  headers: { "content-type": type },
  body,
});
