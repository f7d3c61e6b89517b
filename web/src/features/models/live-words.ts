import type { Offer } from "../../api/catalogue.ts";
import { texts } from "../../texts/texts.ts";
import type { Tone } from "../../ui/badge.tsx";
import { formatPercent } from "../../ui/format.ts";

type Live = Pick<Offer["live"], "available" | "state" | "calls" | "error_rate">;

const TONES: Readonly<Record<Live["state"], Tone>> = {
  up: "positive",
  "coming back": "info",
  "on trial": "warning",
  "left alone": "danger",
  "out of service": "danger",
};

/** The shares of failed calls in the last hour from which a model is degraded, and failing: as the server has them. */
const DEGRADED_SHARE = 0.05;
const FAILING_SHARE = 0.5;
/** Fewer calls than these say nothing. */
const TELLING_CALLS = 5;

/** How reliable the last hour was. */
export function trustOf({
  calls,
  error_rate: share,
}: Pick<Live, "calls" | "error_rate">): "up" | "degraded" | "failing" {
  if (calls < TELLING_CALLS || share < DEGRADED_SHARE) return "up";
  return share < FAILING_SHARE ? "degraded" : "failing";
}

/** How a model does now, in a word. One that answers, but often with an error, is not simply available. */
export function liveWords(live: Live): { readonly word: string; readonly tone: Tone } {
  const words = texts.models.live;
  // One that is up may still ask for a pause.
  if (live.state === "up" && !live.available) return { word: words.unavailable, tone: "danger" };
  const trust = trustOf(live);
  if (live.state !== "up" || trust === "up") return { word: words[live.state], tone: TONES[live.state] };
  return { word: words[trust](formatPercent(live.error_rate)), tone: trust === "failing" ? "danger" : "warning" };
}
