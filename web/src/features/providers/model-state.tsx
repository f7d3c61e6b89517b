import { texts } from "../../texts/texts.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import type { OwnModel } from "./provider-queries.ts";

const TEXTS = texts.providers.modelState;

type State = OwnModel["state"];

const STATES: Readonly<Record<State, { readonly name: string; readonly tone: Tone; readonly words: string }>> = {
  pending: {
    name: TEXTS.pendingCheck,
    tone: "warning",
    words: TEXTS.registeredAndNotRouted,
  },
  probation: {
    name: TEXTS.trialShare,
    tone: "info",
    words: TEXTS.itPassedItsCheck,
  },
  active: { name: TEXTS.active, tone: "positive", words: TEXTS.routedLikeAnyOther },
  suspended: {
    name: TEXTS.suspended,
    tone: "neutral",
    words: TEXTS.pausedItIsNeither,
  },
  blocked: {
    name: TEXTS.blocked,
    tone: "danger",
    words: TEXTS.theOperatorHasTaken,
  },
};

/** The state of a model in a word or two. */
export function StateBadge({ state }: { readonly state: State }) {
  return (
    <Badge tone={STATES[state].tone} dot>
      {STATES[state].name}
    </Badge>
  );
}

/** What a state means, in a sentence. */
export function stateWords(state: State): string {
  return STATES[state].words;
}
