import { Sentence } from "../../texts/sentence.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Progress } from "../../ui/progress.tsx";
import type { Key } from "./key-draft.ts";

const TONES = { active: "positive", expired: "warning", revoked: "neutral" } as const;

/** Whether a key works. */
export function StateBadge({ state }: { readonly state: Key["state"] }) {
  return (
    <Badge tone={TONES[state]} dot>
      {texts.keys.states[state]}
    </Badge>
  );
}

/** What a key may do. */
export function ScopeBadges({ scopes }: { readonly scopes: Key["scopes"] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {scopes.map((scope) => (
        <Badge key={scope} tone={scope === "admin" ? "warning" : "neutral"}>
          {texts.keys.scopes[scope].label}
        </Badge>
      ))}
    </span>
  );
}

/** What a key has spent: of its budget where it has one, otherwise in total. */
export function Spend({ shown }: { readonly shown: Key }) {
  const { budget, spent } = shown;
  if (budget === null || spent.period === null) return <Money credits={spent.total} />;
  const share = budget.limit === 0 ? 1 : spent.period / budget.limit;
  return (
    <span className="grid gap-1 sm:min-w-36">
      <span className="text-sm sm:whitespace-nowrap">
        <Sentence
          text={texts.keys.spend[budget.period]}
          parts={{ spent: formatMoney(spent.period), limit: formatMoney(budget.limit) }}
        />
      </span>
      <Progress
        label={texts.keys.spend.budgetOf(shown.name)}
        hideLabel
        value={budget.limit === 0 ? 1 : spent.period}
        max={budget.limit === 0 ? 1 : budget.limit}
        tone={share >= 1 ? "danger" : share >= 0.8 ? "warning" : "accent"}
      />
    </span>
  );
}
