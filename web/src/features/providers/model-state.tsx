import { Badge, type Tone } from "../../ui/badge.tsx";
import type { OwnModel } from "./provider-queries.ts";

type State = OwnModel["state"];

const STATES: Readonly<Record<State, { readonly name: string; readonly tone: Tone; readonly words: string }>> = {
  pending: {
    name: "Pending check",
    tone: "warning",
    words: "Registered, and not routed yet. Run the check: once it passes, the model gets its first requests.",
  },
  probation: {
    name: "Trial share",
    tone: "info",
    words:
      "It passed its check. Anyone can name it, and it takes part in 5 % of automatic requests. After 100 answers with at most 5 % errors it becomes active by itself.",
  },
  active: { name: "Active", tone: "positive", words: "Routed like any other model." },
  suspended: {
    name: "Suspended",
    tone: "neutral",
    words: "Paused: it is neither listed nor routed. Resume it whenever you like.",
  },
  blocked: {
    name: "Blocked",
    tone: "danger",
    words: "The operator has taken it out: it is neither listed nor routed. Ask the operator why.",
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
