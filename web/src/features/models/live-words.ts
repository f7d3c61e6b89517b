import type { Offer } from "../../api/catalogue.ts";
import type { Tone } from "../../ui/badge.tsx";

type Live = Pick<Offer["live"], "available" | "state">;

const STATES: Readonly<Record<Live["state"], { readonly word: string; readonly tone: Tone }>> = {
  up: { word: "Available", tone: "positive" },
  "coming back": { word: "Coming back", tone: "info" },
  "on trial": { word: "On trial", tone: "warning" },
  "left alone": { word: "Left alone for a while", tone: "danger" },
  "out of service": { word: "Out of service", tone: "danger" },
};

/** Whether a model is to be had now, in a word. */
export function liveWords({ available, state }: Live): { readonly word: string; readonly tone: Tone } {
  // One that is up may still ask for a pause.
  return state === "up" && !available ? { word: "Not available", tone: "danger" } : STATES[state];
}
