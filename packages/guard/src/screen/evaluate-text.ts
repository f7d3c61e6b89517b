import { codePointBoundary } from "@trunkline/core/code-points.ts";
import type { Channel, Verdict } from "@trunkline/core/verdict.ts";
import type { Finding } from "../detector.ts";
import type { Guard, TextPassage } from "../policy/guard.ts";
import { VerdictTally } from "../policy/verdict-tally.ts";
import { STRIDE, StreamBuffer } from "../stream-buffer.ts";
import { TimeSlice } from "../time-slice.ts";
import { PIECE_CHARACTERS, piecesOf } from "./text-pieces.ts";

/**
 * Evaluates texts that belong together, each by itself. If verdicts are uncertain and a judge is configured, it is
 * asked about all of them at once; if one is refused, it is not asked. Returns a promise only where it has to wait.
 */
export function evaluatePassages(
  guard: Guard,
  passages: readonly TextPassage[],
): readonly Verdict[] | Promise<readonly Verdict[]> {
  // Of this size from the start: a list that grows takes several times the room.
  const verdicts = new Array<Verdict>(passages.length);
  const timeSlice = passages.length > 1 ? new TimeSlice() : undefined;
  for (let index = 0; index < passages.length; index += 1) {
    const { text, channel } = passages[index] as TextPassage;
    if (isLong(text, channel) || (index > 0 && timeSlice?.isUsedUp === true))
      return evaluateRest(guard, passages, verdicts.slice(0, index), timeSlice ?? new TimeSlice());
    verdicts[index] = guard.evaluate(text, channel);
  }
  return resolveVerdicts(guard, passages, verdicts);
}

/** Evaluates the passages without a verdict. */
async function evaluateRest(
  guard: Guard,
  passages: readonly TextPassage[],
  verdicts: Verdict[],
  timeSlice: TimeSlice,
): Promise<readonly Verdict[]> {
  for (const { text, channel } of passages.slice(verdicts.length)) {
    if (verdicts.length > 0 && timeSlice.isUsedUp) await timeSlice.yieldToEventLoop();
    verdicts.push(
      !isLong(text, channel)
        ? guard.evaluate(text, channel)
        : channel === "output"
          ? await evaluateAnswer(guard, text, timeSlice)
          : await evaluateLongText(guard, text, channel, timeSlice),
    );
  }
  return resolveVerdicts(guard, passages, verdicts);
}

function resolveVerdicts(
  guard: Guard,
  passages: readonly TextPassage[],
  verdicts: readonly Verdict[],
): readonly Verdict[] | Promise<readonly Verdict[]> {
  const { resolveUncertainty } = guard;
  if (resolveUncertainty === undefined || verdicts.some(({ action }) => action === "refuse")) return verdicts;
  return resolveUncertainty(passages, verdicts);
}

/** Evaluates one text of any length, with a second opinion if the verdict is uncertain. */
export async function evaluateText(guard: Guard, text: string, channel: Channel): Promise<Verdict> {
  const [verdict] = await evaluatePassages(guard, [{ text, channel }]);
  return verdict ?? guard.evaluate(text, channel);
}

/** An answer takes several times as long to examine: longer ones are examined stride by stride, as a stream is. */
const ANSWER_CHARACTERS = 512;

function isLong(text: string, channel: Channel): boolean {
  return text.length > (channel === "output" ? ANSWER_CHARACTERS : PIECE_CHARACTERS);
}

/** Evaluates a complete answer of any length and yields to the event loop between its strides. */
async function evaluateAnswer(guard: Guard, text: string, timeSlice: TimeSlice): Promise<Verdict> {
  const streamDetectors = guard.createStreamDetectors();
  const streamBuffer = new StreamBuffer();
  streamBuffer.append(text);
  const findings: Finding[] = [];
  const normalised = new Set<string>();
  for (let from = 0, isLast = false; !isLast; ) {
    isLast = from + STRIDE > text.length;
    const to = isLast ? text.length : streamBuffer.strideEnd(from);
    streamBuffer.startStride(from, to);
    for (const streamDetector of streamDetectors) {
      const detection = streamDetector.read(streamBuffer, to, isLast);
      if (detection === undefined) continue;
      for (const finding of detection.findings)
        findings.push({
          ...finding,
          start: codePointBoundary(text, finding.start),
          end: codePointBoundary(text, finding.end),
        });
      for (const disguise of detection.normalised) normalised.add(disguise);
    }
    from = to;
    if (!isLast && timeSlice.isUsedUp) await timeSlice.yieldToEventLoop();
  }
  return guard.applyPolicy({ findings, normalised: [...normalised] });
}

/**
 * Evaluates a text of any length piece by piece and yields to the event loop in between. Where the cuts are depends on
 * the text alone. A blob longer than a piece is decoded in pieces; the decoders find the offset at which a piece becomes
 * readable.
 */
export async function evaluateLongText(
  guard: Guard,
  text: string,
  channel: Channel,
  timeSlice = new TimeSlice(),
): Promise<Verdict> {
  if (text.length <= PIECE_CHARACTERS) return guard.evaluate(text, channel);
  const tally = new VerdictTally();
  for (const { start, end } of piecesOf(text)) {
    if (start > 0 && timeSlice.isUsedUp) await timeSlice.yieldToEventLoop();
    tally.add(guard.evaluate(text.slice(start, end), channel), start);
  }
  return tally.verdict();
}
