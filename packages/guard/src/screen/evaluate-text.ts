import { codePointBoundary } from "@trunkline/core/code-points.ts";
import type { Channel, Verdict } from "@trunkline/core/verdict.ts";
import type { Finding } from "../detector.ts";
import type { Guard, TextPassage } from "../policy/guard.ts";
import { VerdictTally } from "../policy/verdict-tally.ts";
import { STRIDE, StreamBuffer } from "../stream-buffer.ts";
import { TimeSlice } from "../time-slice.ts";

/**
 * Evaluates texts that belong together, each by itself. If verdicts are uncertain and a judge is configured, it is
 * asked about all of them at once; if one is refused, it is not asked. Returns a promise only where it has to wait.
 */
export function evaluatePassages(
  guard: Guard,
  passages: readonly TextPassage[],
): readonly Verdict[] | Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = [];
  const timeSlice = passages.length > 1 ? new TimeSlice() : undefined;
  for (const { text, channel } of passages) {
    if (isLong(text, channel) || (verdicts.length > 0 && timeSlice?.isUsedUp === true))
      return evaluateRest(guard, passages, verdicts, timeSlice ?? new TimeSlice());
    verdicts.push(guard.evaluate(text, channel));
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

/** The length of a piece that is evaluated at once. */
export const PIECE_CHARACTERS = 4096;
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

/** How much of a piece the next one repeats, so that nothing hides at a cut. */
export const OVERLAP_CHARACTERS = 512;
/** A piece begins and ends at a word boundary if there is one within this many characters. */
const WORD_REACH = 64;

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
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start + PIECE_CHARACTERS);
    tally.add(guard.evaluate(text.slice(start, end), channel), start);
    if (end === text.length) break;
    start = pieceStart(text, end - OVERLAP_CHARACTERS);
    if (timeSlice.isUsedUp) await timeSlice.yieldToEventLoop();
  }
  return tally.verdict();
}

function pieceEnd(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length;
  for (let at = wanted; at > wanted - WORD_REACH; at -= 1) if (isSpace(text.charCodeAt(at))) return at;
  return isLowSurrogate(text.charCodeAt(wanted)) ? wanted - 1 : wanted;
}

function pieceStart(text: string, wanted: number): number {
  for (let at = wanted; at < wanted + WORD_REACH; at += 1) if (isSpace(text.charCodeAt(at))) return at + 1;
  return isLowSurrogate(text.charCodeAt(wanted)) ? wanted - 1 : wanted;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0x3000;
}

/** Whether a cut before it would split a surrogate pair. */
function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
