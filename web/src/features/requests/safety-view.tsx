import { actionWords, categoryName } from "../../shared/safety-words.ts";
import { texts } from "../../texts/texts.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { KeyValue } from "../../ui/key-value.tsx";
import { Meter } from "../../ui/meter.tsx";
import type { RequestDetail } from "./request-words.ts";

type Verdict = RequestDetail["safety"]["input"];
type Found = NonNullable<Verdict>;

type Opinion = NonNullable<Found["judge"]>[number];

const TEXTS = texts.requestDetail.safety;

const TONES: Readonly<Record<Opinion["result"], Tone>> = {
  raised: "danger",
  lowered: "positive",
  upheld: "info",
  failed: "warning",
};

/** What the safety check made of the input and the output. */
export function SafetyView({ safety }: { readonly safety: RequestDetail["safety"] }) {
  return (
    <KeyValue
      items={[
        { label: TEXTS.input, value: <VerdictView side="input" verdict={safety.input} /> },
        { label: TEXTS.output, value: <VerdictView side="output" verdict={safety.output} /> },
      ]}
    />
  );
}

/** The outcome in a line, with the scores on demand. */
function VerdictView({ side, verdict }: { readonly side: "input" | "output"; readonly verdict: Verdict }) {
  if (verdict === null) return <span className="text-muted">{TEXTS.notChecked}</span>;
  const { done, would, tone } = actionWords(verdict.action);
  const found = Object.entries(verdict.categories).toSorted(([, one], [, other]) => other - one);
  const [top] = found;
  return (
    <div className="grid gap-2">
      <span className="flex flex-wrap items-center gap-2">
        <Badge tone={tone} dot>
          {verdict.dry_run === true && verdict.action !== "allow" ? would : done}
        </Badge>
        {verdict.dry_run === true && <Badge>{TEXTS.dryRun}</Badge>}
        {verdict.policy !== undefined && <span className="text-muted">{TEXTS.owners[verdict.policy]}</span>}
        <span className="text-muted">
          {top === undefined ? TEXTS.nothing : TEXTS.top(categoryName(top[0]), top[1].toFixed(2))}
        </span>
      </span>
      {verdict.redacted !== undefined && (
        <span className="flex flex-wrap gap-1.5">
          {Object.entries(verdict.redacted).map(([kind, count]) => (
            <Badge key={kind} tone="warning">
              {TEXTS.redacted(count, kind.replaceAll("_", " "))}
            </Badge>
          ))}
        </span>
      )}
      <Places verdict={verdict} />
      {found.length > 0 && (
        <details>
          <summary className="w-fit cursor-pointer text-sm text-muted hover:text-text">
            {TEXTS.details(found.length)}
          </summary>
          <ul className="mt-2 grid gap-1">
            {found.map(([category, score]) => (
              <li key={category} className="flex flex-wrap items-center gap-x-3">
                <span className="w-28 shrink-0">{categoryName(category)}</span>
                <Meter
                  label={TEXTS.meter[side](categoryName(category))}
                  value={score}
                  words={scoreText(verdict, category, score)}
                />
              </li>
            ))}
          </ul>
          {verdict.normalised !== undefined && verdict.normalised.length > 0 && (
            <p className="mt-2 text-sm text-muted">{TEXTS.normalised(verdict.normalised.join(", "))}</p>
          )}
        </details>
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
        <Badge key={result} tone={TONES[result]}>
          {TEXTS.judge[result]}
        </Badge>
      ))}
    </span>
  );
}

function scoreText({ acted, dry_run: isDry }: Found, category: string, score: number): string {
  const action = acted?.[category];
  if (action === undefined) return score.toFixed(2);
  return TEXTS.score(score.toFixed(2), isDry === true ? actionWords(action).would : actionWords(action).done);
}

/** Where it stands: kinds and places, as the words themselves are not kept. */
function Places({ verdict }: { readonly verdict: Found }) {
  const places = verdict.spans ?? [];
  if (places.length === 0) return null;
  return (
    <span className="flex flex-wrap gap-1.5">
      {places.map(({ category, kind, start, end }) => (
        <Badge key={`${category} ${start} ${end}`}>
          {TEXTS.place((kind ?? categoryName(category)).replaceAll("_", " "), start, end)}
        </Badge>
      ))}
    </span>
  );
}
