import { QualityCell, TimeCell } from "../../shared/route-cells.tsx";
import { texts } from "../../texts/texts.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { cx } from "../../ui/cx.ts";
import { Money } from "../../ui/money.tsx";
import type { RequestDetail } from "./request-words.ts";

type Routing = NonNullable<RequestDetail["routing"]>;

const TEXTS = texts.requestDetail.candidates;

const TONES: Readonly<Record<Routing["candidates"][number]["outcome"], Tone>> = {
  answered: "positive",
  failed: "danger",
  "cut-off": "warning",
  cancelled: "neutral",
  "failed-check": "warning",
  "not tried": "neutral",
};

const HEAD = "h-8 border-b border-line bg-subtle px-3 text-xs font-medium whitespace-nowrap text-muted";
const CELL = "border-b border-line px-3 py-2 align-top";

/** Who could have answered, in the order they were tried, and who could not and why. */
export function CandidateTable({ routing }: { readonly routing: Routing }) {
  const { candidates, candidates_total, left_out, left_out_total } = routing;
  return (
    <div className="grid gap-4">
      <div role="group" aria-label={TEXTS.label} tabIndex={0} className="overflow-x-auto rounded-lg border border-line">
        <table className="w-full border-separate border-spacing-0 text-left">
          <caption className="sr-only">{TEXTS.caption}</caption>
          <thead>
            <tr>
              <th scope="col" className={HEAD}>
                {TEXTS.order}
              </th>
              <th scope="col" className={HEAD}>
                {TEXTS.model}
              </th>
              <th scope="col" className={cx(HEAD, "text-right")}>
                {TEXTS.quality}
              </th>
              <th scope="col" className={cx(HEAD, "text-right")}>
                {TEXTS.latency}
              </th>
              <th scope="col" className={cx(HEAD, "text-right")}>
                {TEXTS.cost}
              </th>
            </tr>
          </thead>
          <tbody>
            {candidates.map((candidate) => {
              const outcome = TEXTS.outcomes[candidate.outcome];
              return (
                <tr key={candidate.place} className={cx(candidate.chosen && "bg-accent-soft")}>
                  <td className={CELL}>{candidate.place}</td>
                  <th scope="row" className={cx(CELL, "min-w-52 font-normal")}>
                    <span className="flex flex-wrap items-center gap-2">
                      <span className="font-medium wrap-anywhere">{candidate.model}</span>
                      <Badge tone={TONES[candidate.outcome]}>
                        {candidate.chosen ? TEXTS.chosen(outcome) : outcome}
                      </Badge>
                      {candidate.clears_floor === false && <Badge tone="warning">{TEXTS.belowMinimum}</Badge>}
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
        <p className="text-sm text-muted">{TEXTS.more(candidates_total - candidates.length)}</p>
      )}
      {left_out.length > 0 && (
        <div>
          <h3 className="font-medium">{TEXTS.leftOut}</h3>
          <ul className="mt-1 grid gap-1">
            {left_out.map(({ model, reason }) => (
              <li key={model} className="flex flex-wrap gap-x-2 wrap-anywhere">
                {model}
                <span className="text-muted">{reason}</span>
              </li>
            ))}
            {left_out_total > left_out.length && (
              <li className="text-muted">{TEXTS.leftOutMore(left_out_total - left_out.length)}</li>
            )}
          </ul>
        </div>
      )}
    </div>
  );
}
