import { texts } from "../../texts/texts.ts";
import { cx } from "../../ui/cx.ts";
import { formatMs } from "../../ui/format.ts";
import type { RequestDetail } from "./request-words.ts";

const TEXTS = texts.requestDetail.timeline;

/** Each stage with its time, as a bar where it lay within the whole and as a figure. Attempts stand below the provider's. */
export function StageTimeline({ detail }: { readonly detail: RequestDetail }) {
  const { stages, attempts, streamed } = detail;
  const end = Math.max(detail.latency_ms, ...stages.map(({ start_ms, ms }) => start_ms + ms), 0.001);
  const own = stages.reduce((sum, { stage, ms }) => (stage === "provider" || stage === "client" ? sum : sum + ms), 0);
  if (stages.length === 0) return <p className="text-muted">{TEXTS.none}</p>;
  const lines = stages.flatMap((stage) => {
    const { name, note } = TEXTS.steps[stage.stage] ?? { name: stage.stage, note: "" };
    const line = {
      id: stage.stage,
      name,
      note,
      start: stage.start_ms,
      ms: stage.ms,
      isAttempt: false,
      isFailed: false,
    };
    if (stage.stage !== "provider") return [line];
    let start = stage.start_ms;
    const calls = attempts.map((attempt, index) => {
      const call = {
        id: `attempt-${index}`,
        name: attempt.model,
        note: attempt.outcome === "answered" ? firstPart(attempt.first_part_ms) : attempt.reason,
        start,
        ms: attempt.ms,
        isAttempt: true,
        isFailed: attempt.outcome !== "answered" && attempt.outcome !== "cancelled",
      };
      start += attempt.ms;
      return call;
    });
    return [line, ...calls];
  });
  return (
    <div className="grid gap-2">
      <div className="overflow-x-auto rounded-lg border border-line">
        <table className="w-full border-separate border-spacing-0 text-left">
          <caption className="sr-only">{TEXTS.caption}</caption>
          <thead>
            <tr className="text-xs text-muted">
              <th scope="col" className="h-8 border-b border-line bg-subtle px-3 font-medium">
                {TEXTS.step}
              </th>
              <th scope="col" className="border-b border-line bg-subtle px-3 text-right font-medium">
                {TEXTS.time}
              </th>
              <th scope="col" className="w-2/5 border-b border-line bg-subtle px-3 font-medium max-sm:hidden">
                <span className="sr-only">{TEXTS.span}</span>
                <span aria-hidden="true" className="flex justify-between font-normal">
                  <span>0</span>
                  <span>{formatMs(end)}</span>
                </span>
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <tr key={line.id} className="group">
                <th scope="row" className={cx("px-3 py-1.5 font-normal", LINE, line.isAttempt && "pl-7")}>
                  <span className={cx("wrap-anywhere", !line.isAttempt && "font-medium")}>{line.name}</span>
                  <span className={cx("block text-sm", line.isFailed ? "text-danger" : "text-muted")}>{line.note}</span>
                </th>
                <td className={cx("px-3 py-1.5 text-right align-top whitespace-nowrap", LINE)}>{writeMs(line.ms)}</td>
                <td aria-hidden="true" className={cx("px-3 py-1.5 align-top max-sm:hidden", LINE)}>
                  <span className="relative mt-1.5 block h-2.5 overflow-hidden rounded-[3px] bg-hover">
                    <span
                      className={cx(
                        "absolute inset-y-0 min-w-0.5 rounded-[3px]",
                        line.isFailed ? "bg-danger" : line.isAttempt ? "bg-info" : "bg-accent",
                      )}
                      style={{
                        left: `min(${(100 * line.start) / end}%, calc(100% - 2px))`,
                        width: `${Math.min(100, (100 * line.ms) / end)}%`,
                      }}
                    />
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr className="font-medium">
              <th scope="row" className="bg-subtle px-3 py-2">
                {TEXTS.total}
              </th>
              <td className="bg-subtle px-3 py-2 text-right whitespace-nowrap">{formatMs(detail.latency_ms)}</td>
              <td className="bg-subtle px-3 py-2 text-sm font-normal text-muted max-sm:hidden">
                {TEXTS.own(writeMs(own))}
              </td>
            </tr>
          </tfoot>
        </table>
      </div>
      <p className="text-sm text-muted">
        {streamed && `${TEXTS.streamed} `}
        {TEXTS.settle}
      </p>
    </div>
  );
}

const LINE = "border-b border-line";

function firstPart(ms: number | null): string {
  return ms === null ? TEXTS.answered : TEXTS.firstToken(formatMs(ms));
}

/** The gateway's stages take less than a millisecond each. */
function writeMs(ms: number): string {
  return ms > 0 && ms < 10 ? `${Number(ms.toFixed(2))} ms` : formatMs(ms);
}
