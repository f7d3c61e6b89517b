import { formatMs } from "../ui/format.ts";
import { boundWords, evidenceWords, type QualityFigures, type TimeFigures, timeParts } from "./route-words.ts";

/** A predicted quality, how far it is believed, and what it stands on, one below the other. */
export function QualityCell(figures: QualityFigures) {
  return (
    <>
      {figures.predicted_quality.toFixed(2)}
      <Line text={boundWords(figures)} />
      <Line text={evidenceWords(figures)} />
    </>
  );
}

/** An expected time, and what it is made of. */
export function TimeCell({ expected_latency_ms: ms, ...figures }: TimeFigures & { expected_latency_ms: number }) {
  return (
    <>
      {formatMs(ms)}
      {timeParts(figures).map((part) => (
        <Line key={part} text={part} />
      ))}
    </>
  );
}

function Line({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : <span className="block text-sm text-muted">{text}</span>;
}
