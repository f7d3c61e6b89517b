import { fullNameOf } from "@trunkline/core/model.ts";
import type { FinishPart, LogprobsPart, Part, Receipt } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { StreamWriter } from "../../endpoints/endpoint.ts";
import { answeringModelsField } from "../../responses/answer.ts";
import { toGeminiError } from "./dialect.ts";
import {
  choiceIndexOf,
  type ResponsePart,
  toFinishReason,
  toLogprobsResult,
  toResponsePart,
  toUsageMetadata,
} from "./response.ts";

/** How the responses of a stream are separated. */
interface Framing {
  readonly contentType: string;
  /** Frames a response, which is JSON already. */
  frame(response: string, isLast: boolean): string;
}

const eventFraming: Framing = {
  contentType: "text/event-stream",
  frame: (response) => `data: ${response}\r\n\r\n`,
};

/** One JSON list, written piece by piece. */
function createListFraming(): Framing {
  let begun = false;
  return {
    contentType: "application/json; charset=utf-8",
    frame(response, isLast) {
      const opening = begun ? ",\r\n" : "[";
      begun = true;
      return `${opening}${response}${isLast ? "]" : ""}`;
    },
  };
}

/** Streams an answer: a response for each piece; the last one has the finish reason and the usage. */
export function streamGenerateContent(requestTrace: RequestTrace, events: boolean): StreamWriter {
  const framing = events ? eventFraming : createListFraming();
  const finishes = new Map<number, FinishPart>();
  const logprobs = new Map<number, LogprobsPart>();
  const identity = () => {
    const model = requestTrace.replayOf?.model ?? requestTrace.chosen?.model;
    return {
      modelVersion: model === undefined ? "auto" : fullNameOf(model),
      responseId: requestTrace.replayOf?.requestId ?? requestTrace.requestId,
    };
  };
  const candidate = (index: number, part: ResponsePart) => ({
    content: { role: "model", parts: [part] },
    index,
  });
  const ending = (receipt: Receipt) => {
    const indexes = finishes.size === 0 ? [0] : [...finishes.keys()].toSorted((one, other) => one - other);
    const candidates = indexes.map((index) => {
      const found = logprobs.get(index);
      return {
        ...candidate(index, { text: "" }),
        finishReason: toFinishReason(finishes.get(index)),
        ...(found === undefined ? {} : { logprobsResult: toLogprobsResult(found) }),
      };
    });
    return {
      candidates,
      usageMetadata: toUsageMetadata(receipt),
      ...identity(),
      ...answeringModelsField(receipt),
    };
  };
  const note = (part: Part) => {
    if (part.type === "finish") finishes.set(choiceIndexOf(part), part);
    if (part.type === "logprobs") logprobs.set(choiceIndexOf(part), part);
  };
  return {
    contentType: framing.contentType,
    write(part) {
      if (part.type === "receipt") return framing.frame(JSON.stringify(ending(part)), true);
      note(part);
      const shown = toResponsePart(part);
      if (shown === undefined) return "";
      const { modelVersion, responseId } = identity();
      const content = `{"role":"model","parts":[${JSON.stringify(shown)}]}`;
      return framing.frame(
        `{"candidates":[{"content":${content},"index":${choiceIndexOf(part)}}],"modelVersion":${JSON.stringify(modelVersion)},"responseId":"${responseId}"}`,
        false,
      );
    },
    fail: (fault, requestId) => framing.frame(JSON.stringify(toGeminiError(fault, requestId)), true),
  };
}
