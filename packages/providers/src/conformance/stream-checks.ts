import { ProviderFailure } from "@trunkline/core/attempt.ts";
import { JsonFrames, type JsonObject } from "../http/json-frames.ts";
import { problemOf } from "./answer.ts";
import { answersInText, type Check } from "./check.ts";
import { judgeStream } from "./judge-stream.ts";
import { orderFor, streamingOrderFor } from "./order.ts";
import { fail, pass } from "./report.ts";

const appliesTo: Check["appliesTo"] = (target, plain) => target.streaming && answersInText(target, plain);

const streaming: Check = {
  name: "streaming",
  appliesTo,
  async run(visit) {
    const { type, limits, credential } = visit.target;
    const answer = await visit.ask(streamingOrderFor(type));
    if (answer.status !== 200 || answer.compression !== undefined) {
      return [fail(this.name, `To a request with \`"stream": true\` ${problemOf(answer)}.`)];
    }
    const chunks = readChunks(answer.bytes, limits.chunkBytes);
    return chunks instanceof ProviderFailure
      ? [fail(this.name, `The stream can't be read (${chunks.reason}). Send one JSON object a line.`)]
      : judgeStream(chunks, credential);
  },
};

/** Read as a real answer is, so that whatever passes here is understood there. */
function readChunks(bytes: Buffer, chunkBytes: number): JsonObject[] | ProviderFailure {
  const frames = new JsonFrames(chunkBytes);
  try {
    const chunks = [...frames.push(bytes)];
    frames.end();
    return chunks;
  } catch (error) {
    if (error instanceof ProviderFailure) return error;
    throw error;
  }
}

const hangUp: Check = {
  name: "hang-up",
  appliesTo,
  async run(visit) {
    const reply = await visit.open(streamingOrderFor(visit.target.type));
    // Ending the loop hangs up.
    for await (const _ of reply.body) break;
    const problem = problemOf(await visit.ask(orderFor(visit.target.type)));
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
export const STREAM_CHECKS: readonly Check[] = [streaming, hangUp];
