import { ProviderFailure } from "@trunkline/core/attempt.ts";
import { type JsonObject, JsonStreamParser } from "../http/json-frames.ts";
import { answerProblem } from "./answer.ts";
import { answersInText, type Check } from "./check.ts";
import { judgeChunks } from "./judge-stream.ts";
import { streamingTestRequestFor, testRequestFor } from "./order.ts";
import { fail, pass } from "./report.ts";

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

/** Read as a real answer is, so that whatever passes here is understood there. */
function readChunks(bytes: Buffer, chunkBytes: number): JsonObject[] | ProviderFailure {
  const frames = new JsonStreamParser(chunkBytes);
  try {
    const chunks = [...frames.push(bytes)];
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
    // Ending the loop hangs up.
    for await (const _ of reply.body) break;
    const problem = answerProblem(await endpointClient.send(testRequestFor(endpointClient.target.type)));
    return [
      problem === undefined
        ? pass(this.name, "After a caller hung up in mid-stream the next one is answered.")
        : fail(
            this.name,
            `After a caller hung up in mid-stream ${problem}. Stop that answer and serve the next.`,
          ),
    ];
  },
};

/** The checks of streaming, where it is declared. */
export const STREAM_CHECKS: readonly Check[] = [streaming, clientDisconnect];
