import type { Detection, Finding, StreamDetection, StreamDetector } from "../detector.ts";
import { zeroScores } from "../policy/verdict-tally.ts";
import type { Resumable } from "../resumable.ts";
import { STRIDE, StreamBuffer } from "../tail.ts";

/** What those who follow an answer make of a whole one, at the places at which they would judge it in a stream. */
export function* detectInAnswer(
  streamDetectors: readonly StreamDetector[],
  text: string,
): Resumable<Detection> {
  const scores = zeroScores();
  const findings: Finding[] = [];
  const normalised = new Set<string>();
  const note = (streamDetection: StreamDetection | undefined) => {
    if (streamDetection === undefined) return;
    findings.push(...streamDetection.findings);
    for (const disguise of streamDetection.normalised) normalised.add(disguise);
  };
  const streamBuffer = new StreamBuffer();
  streamBuffer.append(text);
  let from = 0;
  for (let isLast = false; !isLast; ) {
    isLast = from + STRIDE > text.length;
    const to = isLast ? text.length : streamBuffer.strideEnd(from);
    streamBuffer.startStride(from, to);
    for (const streamDetector of streamDetectors) note(streamDetector.read(streamBuffer, to, isLast));
    from = to;
    yield;
  }
  for (const { category, score } of findings)
    scores[category] = Math.max(scores[category], Math.round(score * 1e5) / 1e5);
  return { scores, findings, normalised: [...normalised] };
}
