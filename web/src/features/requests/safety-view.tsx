import { ACTION_WORDS, categoryName } from "../../shared/safety-words.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { KeyValue } from "../../ui/key-value.tsx";
import { Meter } from "../../ui/meter.tsx";
import type { RequestDetail } from "./request-words.ts";

type Verdict = RequestDetail["safety"]["input"];
type Found = NonNullable<Verdict>;

const OWNERS = {
  service: "by the service's rules",
  account: "by the organisation's rules",
  key: "by the key's rules",
} as const;

type Opinion = NonNullable<Found["judge"]>[number];

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
        { label: "Input", value: <VerdictView side="input" verdict={safety.input} /> },
        { label: "Output", value: <VerdictView side="output" verdict={safety.output} /> },
      ]}
    />
  );
}

function VerdictView({ side, verdict }: { readonly side: string; readonly verdict: Verdict }) {
  if (verdict === null) return <span className="text-muted">not looked at</span>;
  const { done, would, tone } = ACTION_WORDS[verdict.action];
  const found = Object.entries(verdict.categories).toSorted(([, one], [, other]) => other - one);
  return (
    <div className="grid gap-2">
      <span className="flex flex-wrap items-center gap-2">
        <Badge tone={tone} dot>
          {verdict.dry_run === true && verdict.action !== "allow" ? would : done}
        </Badge>
        {verdict.dry_run === true && <Badge>dry run</Badge>}
        {verdict.policy !== undefined && <span className="text-muted">{OWNERS[verdict.policy]}</span>}
        {found.length === 0 && <span className="text-muted">nothing was found</span>}
      </span>
      {found.length > 0 && (
        <ul className="grid gap-1">
          {found.map(([category, score]) => (
            <li key={category} className="flex flex-wrap items-center gap-x-3">
              <span className="w-28 shrink-0">{categoryName(category)}</span>
              <Meter
                label={`${categoryName(category)} in the ${side}`}
                value={score}
                words={`${score.toFixed(2)}${calledFor(verdict, category)}`}
              />
            </li>
          ))}
        </ul>
      )}
      {verdict.redacted !== undefined && (
        <span className="flex flex-wrap gap-1.5">
          {Object.entries(verdict.redacted).map(([kind, count]) => (
            <Badge key={kind} tone="warning">
              {count} × {kind.replaceAll("_", " ")} taken out
            </Badge>
          ))}
        </span>
      )}
      <Places verdict={verdict} />
      {verdict.normalised !== undefined && verdict.normalised.length > 0 && (
        <span className="text-sm text-muted">Undone before judging: {verdict.normalised.join(", ")}</span>
      )}
      <Opinions verdict={verdict} />
    </div>
  );
}

/** The external judge's opinion. */
function Opinions({ verdict }: { readonly verdict: Found }) {
  const results = [...new Set(verdict.judge?.map(({ result }) => result))];
  if (results.length === 0) return null;
  return (
    <span className="flex flex-wrap gap-1.5">
      {results.map((result) => (
        <Badge key={result} tone={OPINIONS[result].tone}>
          {OPINIONS[result].word}
        </Badge>
      ))}
    </span>
  );
}

function calledFor({ acted, dry_run: isDry }: Found, category: string): string {
  const action = acted?.[category];
  if (action === undefined) return "";
  return `, ${isDry === true ? ACTION_WORDS[action].would : ACTION_WORDS[action].done}`;
}

/** Where it stands: kinds and places, as the words themselves are not kept. */
function Places({ verdict }: { readonly verdict: Found }) {
  const places = verdict.spans ?? [];
  if (places.length === 0) return null;
  return (
    <span className="flex flex-wrap gap-1.5">
      {places.map(({ category, kind, start, end }) => (
        <Badge key={`${category} ${start} ${end}`}>
          {(kind ?? categoryName(category)).replaceAll("_", " ")} at {start}–{end}
        </Badge>
      ))}
    </span>
  );
}
