import type { FinishPart, LogprobsPart, Part } from "@trunkline/core/answer.ts";
import type { Journal } from "@trunkline/core/journal.ts";
import { fullNameOf } from "@trunkline/core/model.ts";
import type { Receipt } from "@trunkline/core/receipt.ts";
import type { StreamWriter } from "../../endpoints/endpoint.ts";
import { tellModels } from "../../responses/models-that-spoke.ts";
import { geminiErrorOf } from "./dialect.ts";
import { choiceOf, finishReasonOf, logprobsOf, type ShownPart, showPart, usageOf } from "./response.ts";

/** How responses are told apart on the wire. */
interface Framing {
  readonly contentType: string;
  frame(response: unknown, isLast: boolean): string;
}

const asEvents: Framing = {
  contentType: "text/event-stream",
  frame: (response) => `data: ${JSON.stringify(response)}\r\n\r\n`,
};

/** One JSON list, written piece by piece. */
function asList(): Framing {
  let begun = false;
  return {
    contentType: "application/json; charset=utf-8",
    frame(response, isLast) {
      const opening = begun ? ",\r\n" : "[";
      begun = true;
      return `${opening}${JSON.stringify(response)}${isLast ? "]" : ""}`;
    },
  };
}

/** An answer as it comes: a response for each piece, and the last one tells how it ended and what was used. */
export function streamResponse(journal: Journal, events: boolean): StreamWriter {
  const framing = events ? asEvents : asList();
  const finishes = new Map<number, FinishPart>();
  const logprobs = new Map<number, LogprobsPart>();
  const said = () => {
    const model = journal.original?.model ?? journal.chosen?.model;
    return {
      modelVersion: model === undefined ? "auto" : fullNameOf(model),
      responseId: journal.original?.requestId ?? journal.requestId,
    };
  };
  const candidate = (index: number, part: ShownPart) => ({
    content: { role: "model", parts: [part] },
    index,
  });
  const ending = (receipt: Receipt) => {
    const indexes = finishes.size === 0 ? [0] : [...finishes.keys()].toSorted((one, other) => one - other);
    const candidates = indexes.map((index) => {
      const found = logprobs.get(index);
      return {
        ...candidate(index, { text: "" }),
        finishReason: finishReasonOf(finishes.get(index)),
        ...(found === undefined ? {} : { logprobsResult: logprobsOf(found) }),
      };
    });
    return { candidates, usageMetadata: usageOf(receipt), ...said(), ...tellModels(receipt) };
  };
  const note = (part: Part) => {
    if (part.type === "finish") finishes.set(choiceOf(part), part);
    if (part.type === "logprobs") logprobs.set(choiceOf(part), part);
  };
  return {
    contentType: framing.contentType,
    write(part) {
      if (part.type === "receipt") return framing.frame(ending(part), true);
      note(part);
      const shown = showPart(part);
      if (shown === undefined) return "";
      return framing.frame({ candidates: [candidate(choiceOf(part), shown)], ...said() }, false);
    },
    fail: (fault, requestId) => framing.frame(geminiErrorOf(fault, requestId), true),
  };
}
