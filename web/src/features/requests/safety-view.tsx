import { Badge, type Tone } from "../../ui/badge.tsx";
import { formatPercent } from "../../ui/format.ts";
import { KeyValue } from "../../ui/key-value.tsx";
import type { RequestDetail } from "./request-words.ts";

type Verdict = RequestDetail["safety"]["input"];

const ACTIONS: Readonly<
  Record<NonNullable<Verdict>["action"], { readonly word: string; readonly tone: Tone }>
> = {
  allow: { word: "allowed", tone: "positive" },
  report: { word: "reported", tone: "info" },
  redact: { word: "redacted", tone: "warning" },
  refuse: { word: "refused", tone: "danger" },
};

type Opinion = NonNullable<NonNullable<Verdict>["judge"]>[number];

const OPINIONS: Readonly<Record<Opinion["result"], { readonly word: string; readonly tone: Tone }>> = {
  raised: { word: "raised by a judge", tone: "danger" },
  lowered: { word: "lowered by a judge", tone: "positive" },
  upheld: { word: "upheld by a judge", tone: "info" },
  failed: { word: "no answer from a judge", tone: "warning" },
};

/** What the safety check made of the input and the output. */
export function SafetyView({ safety }: { readonly safety: RequestDetail["safety"] }) {
  return (
    <KeyValue
      items={[
        { label: "Input", value: <VerdictView verdict={safety.input} /> },
        { label: "Output", value: <VerdictView verdict={safety.output} /> },
      ]}
    />
  );
}

function VerdictView({ verdict }: { readonly verdict: Verdict }) {
  if (verdict === null) return <span className="text-muted">not looked at</span>;
  const { word, tone } = ACTIONS[verdict.action];
  const found = Object.entries(verdict.categories).toSorted(([, one], [, other]) => other - one);
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Badge tone={tone} dot>
        {word}
      </Badge>
      {found.length === 0 ? (
        <span className="text-muted">nothing was found</span>
      ) : (
        found.map(([category, score]) => (
          <Badge key={category}>
            {category.replaceAll("_", " ")} {formatPercent(score)}
          </Badge>
        ))
      )}
      {[...new Set(verdict.judge?.map(({ result }) => result))].map((result) => (
        <Badge key={result} tone={OPINIONS[result].tone}>
          {OPINIONS[result].word}
        </Badge>
      ))}
    </span>
  );
}
