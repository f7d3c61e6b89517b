import { Badge } from "../../ui/badge.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Money } from "../../ui/money.tsx";
import { Progress } from "../../ui/progress.tsx";
import type { Key } from "./key-draft.ts";
import { PERIOD_WORDS, scopeLabel } from "./scope-words.ts";

const STATES = {
  active: { tone: "positive", label: "Active" },
  expired: { tone: "warning", label: "Expired" },
  revoked: { tone: "neutral", label: "Revoked" },
} as const;

/** Whether a key works. */
export function StateBadge({ state }: { readonly state: Key["state"] }) {
  const { tone, label } = STATES[state];
  return (
    <Badge tone={tone} dot>
      {label}
    </Badge>
  );
}

/** What a key may do. */
export function ScopeBadges({ scopes }: { readonly scopes: Key["scopes"] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {scopes.map((scope) => (
        <Badge key={scope} tone={scope === "admin" ? "warning" : "neutral"}>
          {scopeLabel(scope)}
        </Badge>
      ))}
    </span>
  );
}

/** What a key has spent: of its budget where it has one, otherwise ever. */
export function Spend({ shown }: { readonly shown: Key }) {
  const { budget, spent } = shown;
  if (budget === null || spent.period === null) return <Money credits={spent.total} />;
  const share = budget.limit === 0 ? 1 : spent.period / budget.limit;
  return (
    <span className="grid gap-1 sm:min-w-36">
      <span className="text-sm sm:whitespace-nowrap">
        {formatMoney(spent.period)}
        <span className="text-muted">
          {" "}
          of {formatMoney(budget.limit)} {PERIOD_WORDS[budget.period]}
        </span>
      </span>
      <Progress
        label={`Budget of ${shown.name}`}
        hideLabel
        value={budget.limit === 0 ? 1 : spent.period}
        max={budget.limit === 0 ? 1 : budget.limit}
        tone={share >= 1 ? "danger" : share >= 0.8 ? "warning" : "accent"}
      />
    </span>
  );
}
