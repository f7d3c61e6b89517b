import type { Secret } from "@trunkline/core/secret.ts";
import type { JsonObject } from "../http/json-frames.ts";
import { errorMessageOf } from "../http/provider-error.ts";
import { jsonTypeOf } from "./answer.ts";
import { usageProblem } from "./plain-checks.ts";
import { type Finding, fail, pass, warn } from "./report.ts";

/** Judges the objects of a streamed answer, in the order they came. */
export function judgeChunks(chunks: readonly JsonObject[], credential: Secret | undefined): Finding[] {
  const broken = chunkProblem(chunks, credential);
  if (broken !== undefined) return [fail("streaming", broken)];
  if (chunks.every((chunk) => !isPresent(chunk.delta) || chunk.delta === "")) {
    return [fail("streaming", "The streamed answer has no text. Send it piece by piece as `delta`.")];
  }
  const streamed = pass("streaming", `The answer is streamed in ${chunks.length} chunks.`);
  const end = streamEndProblem(chunks);
  if (end !== undefined) return [streamed, fail("streaming-end", end)];
  return [streamed, pass("streaming-end", 'The stream ends with `"done": true`.'), judgeStreamUsage(chunks)];
}

function chunkProblem(chunks: readonly JsonObject[], credential: Secret | undefined): string | undefined {
  if (chunks.length === 0) return 'The stream has no chunks. Send `{"delta": "…"}` objects.';
  for (const [index, { error, output, delta, done, usage }] of chunks.entries()) {
    const where = `Chunk ${index + 1} of the stream`;
    if (isPresent(error)) {
      const words = errorMessageOf(error, credential);
      return `${where} is an error${words === undefined ? "" : `: “${words}”`}.`;
    }
    if (isPresent(output) && index === 0) {
      return "The answer came whole, although streaming is declared. Stream it, or register the model with `streaming: false`.";
    }
    if (isPresent(delta) && typeof delta !== "string") {
      return `\`delta\` in chunk ${index + 1} of the stream is ${jsonTypeOf(delta)}, a text was expected.`;
    }
    if (!isPresent(delta) && !isPresent(usage) && done !== true) {
      return `${where} has neither \`delta\` nor \`"done": true\`.`;
    }
  }
  return undefined;
}

function streamEndProblem(chunks: readonly JsonObject[]): string | undefined {
  const doneAt = chunks.findIndex((chunk) => chunk.done === true);
  if (doneAt === -1) {
    return 'The stream stops without `{"done": true}`, so that nobody can tell whether it is complete. End with it.';
  }
  // An end that is said twice, as `[DONE]` after `done`, still is the end.
  return chunks.slice(doneAt).every((chunk) => chunk.done === true)
    ? undefined
    : `\`"done": true\` came in chunk ${doneAt + 1} of ${chunks.length}, and what follows it is lost. Send it last.`;
}

function judgeStreamUsage(chunks: readonly JsonObject[]): Finding {
  const usage = chunks.find((chunk) => chunk.done === true)?.usage;
  if (!isPresent(usage)) {
    return warn(
      "streaming-usage",
      "The last chunk has no `usage`, so that tokens may be counted for you. Send it beside `done`.",
    );
  }
  const problem = usageProblem(usage);
  return problem === undefined
    ? pass("streaming-usage", "The last chunk reports the usage.")
    : fail("streaming-usage", `In the last chunk: ${problem} Report the tokens that were really used.`);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
