import { QualityCell, TimeCell } from "../../shared/route-cells.tsx";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { cx } from "../../ui/cx.ts";
import { Money } from "../../ui/money.tsx";
import type { RequestDetail } from "./request-words.ts";

type Routing = NonNullable<RequestDetail["routing"]>;

const OUTCOMES: Readonly<
  Record<Routing["candidates"][number]["outcome"], { readonly word: string; readonly tone: Tone }>
> = {
  answered: { word: "answered", tone: "positive" },
  failed: { word: "failed", tone: "danger" },
  "cut-off": { word: "cut off", tone: "warning" },
  cancelled: { word: "was slower", tone: "neutral" },
  "failed-check": { word: "failed the check", tone: "warning" },
  "not tried": { word: "not needed", tone: "neutral" },
};

const HEAD = "h-8 border-b border-line bg-subtle px-3 text-xs font-medium whitespace-nowrap text-muted";
const CELL = "border-b border-line px-3 py-2 align-top";

/** Who could have answered, in the order they were tried, and who could not and why. */
export function CandidateTable({ routing }: { readonly routing: Routing }) {
  const { candidates, candidates_total, left_out, left_out_total } = routing;
  return (
    <div className="grid gap-4">
      <div role="region" aria-label="Candidates" tabIndex={0} className="overflow-x-auto rounded-lg border border-line">
        <table className="w-full border-separate border-spacing-0 text-left">
          <caption className="sr-only">Candidates in the order they were tried</caption>
          <thead>
            <tr>
              <th scope="col" className={HEAD}>
                Order
              </th>
              <th scope="col" className={HEAD}>
                Model and reasons
              </th>
              <th scope="col" className={cx(HEAD, "text-right")}>
                Quality
              </th>
              <th scope="col" className={cx(HEAD, "text-right")}>
                Expected
              </th>
              <th scope="col" className={cx(HEAD, "text-right")}>
                Estimate, at most
              </th>
            </tr>
          </thead>
          <tbody>
            {candidates.map((candidate) => {
              const outcome = OUTCOMES[candidate.outcome];
              return (
                <tr key={candidate.place} className={cx(candidate.chosen && "bg-accent-soft")}>
                  <td className={CELL}>{candidate.place}</td>
                  <th scope="row" className={cx(CELL, "min-w-52 font-normal")}>
                    <span className="flex flex-wrap items-center gap-2">
                      <span className="font-medium wrap-anywhere">{candidate.model}</span>
                      <Badge tone={outcome.tone}>{candidate.chosen ? `chosen, ${outcome.word}` : outcome.word}</Badge>
                      {candidate.clears_floor === false && <Badge tone="warning">below the floor</Badge>}
                    </span>
                    <span className="block text-sm text-muted">{candidate.reasons.join("; ")}</span>
                  </th>
                  <td className={cx(CELL, "min-w-28 text-right")}>
                    <QualityCell {...candidate} />
                  </td>
                  <td className={cx(CELL, "min-w-36 text-right")}>
                    <TimeCell {...candidate} />
                  </td>
                  <td className={cx(CELL, "text-right")}>
                    <Money credits={candidate.estimated_cost} />
                    <span className="block text-sm text-muted">
                      <Money credits={candidate.worst_case_cost} />
                    </span>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {candidates_total > candidates.length && (
        <p className="text-sm text-muted">And {candidates_total - candidates.length} more that were not needed.</p>
      )}
      {left_out.length > 0 && (
        <div>
          <h3 className="font-medium">Left out</h3>
          <ul className="mt-1 grid gap-1">
            {left_out.map(({ model, reason }) => (
              <li key={model} className="wrap-anywhere">
                {model}
                <span className="text-muted">: {reason}</span>
              </li>
            ))}
            {left_out_total > left_out.length && (
              <li className="text-muted">and {left_out_total - left_out.length} more</li>
            )}
          </ul>
        </div>
      )}
    </div>
  );
}
