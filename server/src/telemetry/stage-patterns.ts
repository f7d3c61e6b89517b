import type { Stage } from "@trunkline/core/request-trace.ts";
import { SPAN_ID_START } from "@trunkline/core/trace-context.ts";
import { lengthField, TAGS } from "./protobuf.ts";
import { ATTRIBUTES } from "./semantic-conventions.ts";
import { LOCAL_FLAGS, SPAN_KIND, type StageTimes, takesTurns } from "./span-writer.ts";

/** The spans of the stages of a request in protobuf's form, with blanks for their ids and times. */
interface StagePattern {
  readonly stages: readonly Stage[];
  /** Which of them took turns with another one: their spans have an attribute for their own time. */
  readonly turns: readonly boolean[];
  readonly bytes: Uint8Array;
  /** Where each span starts. */
  readonly starts: readonly number[];
}

/** Where the blanks of a stage's span are, from its start. Its length takes one byte, and so does that of each field. */
export const STAGE_SPAN = { traceId: 4, parent: 22, spanNumber: 36, start: 41, end: 50, active: 90 } as const;

/** There are few: a stream, a whole answer, and the refusals of each stage. */
const PATTERNS_MAX = 32;

/** The sequences of stages that requests went through. */
export class StagePatterns {
  #patterns: StagePattern[] = [];

  of(times: StageTimes): StagePattern {
    for (const pattern of this.#patterns) if (isLike(pattern, times)) return pattern;
    const pattern = createPattern(times);
    this.#patterns = [pattern, ...this.#patterns.slice(0, PATTERNS_MAX - 1)];
    return pattern;
  }
}

function isLike(pattern: StagePattern, times: StageTimes): boolean {
  const { stages } = times;
  if (pattern.stages.length !== stages.length) return false;
  for (let at = 0; at < stages.length; at++)
    if (pattern.stages[at] !== stages[at] || pattern.turns[at] !== tookTurns(times, at)) return false;
  return true;
}

function tookTurns({ stageMs, stageStartMs, stageEndMs }: StageTimes, at: number): boolean {
  const startMs = stageStartMs[at] ?? 0;
  return takesTurns(startMs, stageEndMs[at] ?? startMs, stageMs[at] ?? 0);
}

function createPattern(times: StageTimes): StagePattern {
  const stages = [...times.stages];
  const turns = stages.map((_, at) => tookTurns(times, at));
  const spans = stages.map((stage, at) => createStageSpan(stage, turns[at] === true));
  const starts: number[] = [];
  let length = 0;
  for (const span of spans) {
    starts.push(length);
    length += span.length;
  }
  return { stages, turns, bytes: Uint8Array.from(Buffer.concat(spans)), starts };
}

function createStageSpan(stage: Stage, hasActiveTime: boolean): Buffer {
  const times = Buffer.alloc(1 + 8 + 1 + 8);
  times[0] = TAGS.startTime;
  times[9] = TAGS.endTime;
  const flags = Buffer.from([...TAGS.flags, 0, 0, 0, 0]);
  flags.writeUInt32LE(LOCAL_FLAGS, 2);
  const activeTime = Buffer.concat([
    lengthField(TAGS.key, ATTRIBUTES.stageActive),
    lengthField(TAGS.value, Buffer.concat([Buffer.of(TAGS.doubleValue), Buffer.alloc(8)])),
  ]);
  return lengthField(
    TAGS.spans,
    Buffer.concat([
      lengthField(TAGS.traceId, Buffer.alloc(16)),
      lengthField(TAGS.parentSpanId, Buffer.alloc(8)),
      lengthField(TAGS.spanId, Buffer.concat([Buffer.from(SPAN_ID_START, "hex"), Buffer.alloc(4)])),
      times,
      hasActiveTime ? lengthField(TAGS.attributes, activeTime) : Buffer.alloc(0),
      lengthField(TAGS.name, stage),
      Buffer.of(TAGS.kind, SPAN_KIND.internal),
      flags,
    ]),
  );
}
