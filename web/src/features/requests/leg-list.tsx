import { Badge, type Tone } from "../../ui/badge.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import type { RequestDetail } from "./request-words.ts";

type Leg = NonNullable<RequestDetail["legs"]>[number];

const OUTCOMES: Readonly<Record<Leg["outcome"], { readonly word: string; readonly tone: Tone }>> = {
  answered: { word: "finished the answer", tone: "positive" },
  "cut-off": { word: "broke off", tone: "warning" },
  "failed-check": { word: "failed the check", tone: "warning" },
  refused: { word: "taken away by moderation", tone: "danger" },
};

/** The models that made an answer one after the other, with what each did and cost. */
export function LegList({ legs }: { readonly legs: readonly Leg[] }) {
  return (
    <ol className="grid divide-y divide-line rounded-lg border border-line">
      {legs.map((leg, index) => {
        const outcome = OUTCOMES[leg.outcome];
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: one model may speak twice, and the order is fixed.
            key={index}
            className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-x-3 gap-y-0.5 px-3 py-2"
          >
            <span className="text-muted">{index + 1}</span>
            <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
              <span className="font-medium wrap-anywhere">{leg.model}</span>
              <Badge tone={outcome.tone}>{outcome.word}</Badge>
            </span>
            <Money credits={leg.cost} unit />
            <span className="col-start-2 text-sm text-muted">
              {formatNumber(leg.input_tokens)} tokens in, {formatNumber(leg.output_tokens)} out
              {leg.usage_source === "own" && ", by our own count"}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
