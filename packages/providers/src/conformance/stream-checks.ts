import type { JsonObject } from "@trunkline/core/json-object.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { JsonStreamParser } from "../http/json-stream.ts";
import { errorMessageOf } from "../http/provider-error.ts";
import { answersInText, type Check, type Finding, fail, pass, warn } from "./check.ts";
import { answerProblem, jsonTypeOf } from "./endpoint-client.ts";
import { usageProblem } from "./plain-checks.ts";
import { streamingTestRequestFor, testRequestFor } from "./test-requests.ts";

const appliesTo: Check["appliesTo"] = (target, plain) => target.streaming && answersInText(target, plain);

const streaming: Check = {
  name: "streaming",
  appliesTo,
  async run(endpointClient) {
    const { type, limits, credential } = endpointClient.target;
    const answer = await endpointClient.send(streamingTestRequestFor(type));
    if (answer.status !== 200 || answer.compression !== undefined) {
      return [fail(this.name, `To a request with \`"stream": true\` ${answerProblem(answer)}.`)];
    }
    const chunks = readChunks(answer.bytes, limits.chunkBytes);
    return chunks instanceof ProviderFailure
      ? [fail(this.name, `The stream can't be read (${chunks.reason}). Send one JSON object a line.`)]
      : judgeChunks(chunks, credential);
  },
};

/** Read as real answers are, so that everything that passes here works there. */
function readChunks(bytes: Buffer, chunkBytes: number): JsonObject[] | ProviderFailure {
  const frames = new JsonStreamParser(chunkBytes);
  try {
    frames.push(bytes);
    const chunks: JsonObject[] = [];
    for (let chunk = frames.next(); chunk !== undefined; chunk = frames.next()) chunks.push(chunk);
    frames.end();
    return chunks;
  } catch (error) {
    if (error instanceof ProviderFailure) return error;
    throw error;
  }
}

const clientDisconnect: Check = {
  name: "hang-up",
  appliesTo,
  async run(endpointClient) {
    const reply = await endpointClient.open(streamingTestRequestFor(endpointClient.target.type));
    // Ending the loop disconnects.
    for await (const _ of reply.body) break;
    const problem = answerProblem(await endpointClient.send(testRequestFor(endpointClient.target.type)));
    return [
      problem === undefined
        ? pass(this.name, "After a caller hung up in mid-stream the next one is answered.")
        : fail(this.name, `After a caller hung up in mid-stream ${problem}. Stop that answer and serve the next.`),
    ];
  },
};

/** Checks of streaming, where it is declared. */
export const STREAM_CHECKS: readonly Check[] = [streaming, clientDisconnect];

/** Judges the objects of a streamed answer, in order. */
function judgeChunks(chunks: readonly JsonObject[], credential: Secret | undefined): Finding[] {
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
  // A repeated end, such as `[DONE]` after `done`, is still the end.
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
