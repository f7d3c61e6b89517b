import { quoteJson } from "@trunkline/core/json-text.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { StreamWriter } from "../../../endpoints/endpoint.ts";
import type { HttpRequest } from "../../../endpoints/http-request.ts";
import { readObject } from "../../../requests/fields.ts";
import { answeringModelsField } from "../../../responses/answer.ts";
import { toOpenAiError } from "../dialect.ts";
import { readIncludeUsage } from "../fields.ts";
import { reasoningNameFor } from "../openrouter-fields.ts";
import { EVENT_STREAM_TYPE, formatEvent, identifyResponse, STREAM_DONE, writeUsage } from "../response-parts.ts";
import { type ToolForm, toolFormsOf } from "../tool-forms.ts";
import { toFinishReason, toFunctionCall, toToolCall, usesLegacyFunctions } from "./response.ts";

/** The progress of one choice. */
interface ChoiceProgress {
  calls: number;
  isFinished: boolean;
}

/** Streams an answer of `chat/completions` as `chat.completion.chunk` events, which `chatChunkSchema` describes. */
export function streamChat(request: HttpRequest, requestTrace: RequestTrace, requestBody: unknown): StreamWriter {
  const writer = new ChatChunkWriter(requestTrace, requestBody, isOpenRouterLibrary(request));
  return {
    contentType: EVENT_STREAM_TYPE,
    write: (part) => writer.write(part),
    fail: (fault) => formatEvent(toOpenAiError(fault)),
  };
}

/** OpenRouter's own library refuses a chunk in which a field is null that OpenAI's chunks have. */
function isOpenRouterLibrary({ headers }: HttpRequest): boolean {
  return headers["user-agent"]?.includes("@openrouter/sdk") === true;
}

class ChatChunkWriter {
  /** What every event begins with: `data: `, and the fields before the choices. */
  readonly #head: string;
  /** What every chunk with a choice ends with. */
  readonly #tail: string;
  /** What a chunk with text of the first choice has around its text: nearly all chunks are such. */
  readonly #beforeText: string;
  readonly #afterText: string;
  readonly #includeUsage: boolean;
  readonly #callsAsFunctions: boolean;
  readonly #reasoningName: ReturnType<typeof reasoningNameFor>;
  readonly #requestBody: unknown;
  #toolForms: ReadonlyMap<string, ToolForm> | undefined;
  readonly #choices = new Map<number, ChoiceProgress>();

  /** `omitsNulls`: fields are left out instead of being null. */
  constructor(requestTrace: RequestTrace, requestBody: unknown, omitsNulls: boolean) {
    const { id, created, model } = identifyResponse("chatcmpl", requestTrace);
    this.#head = `data: {"id":"${id}","object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)}${omitsNulls ? "" : ',"system_fingerprint":null'}`;
    this.#includeUsage = readIncludeUsage(readObject(requestBody, ""));
    this.#tail = this.#includeUsage && !omitsNulls ? '}],"usage":null}\n\n' : "}]}\n\n";
    this.#beforeText = `${this.#beforeDelta(0)}{"content":`;
    this.#afterText = `}${this.#tail}`;
    // Reading any character joins their pieces, once for all chunks.
    this.#beforeText.charCodeAt(0);
    this.#afterText.charCodeAt(0);
    this.#callsAsFunctions = usesLegacyFunctions(requestBody);
    this.#reasoningName = reasoningNameFor(requestBody);
    this.#requestBody = requestBody;
  }

  write(part: Part | Receipt): string {
    if (part.type === "receipt") return this.#end(part);
    if (part.type === "usage" || part.type === "media" || part.type === "embedding" || part.type === "timings")
      return "";
    const index = part.choice ?? 0;
    const known = this.#choices.get(index);
    const choiceProgress = known ?? { calls: 0, isFinished: false };
    const opening = known === undefined ? this.#open(index, choiceProgress) : "";
    switch (part.type) {
      case "text":
        if (index === 0) return opening + this.#beforeText + quoteJson(part.text) + this.#afterText;
        return opening + this.#chunk(index, `{"content":${quoteJson(part.text)}}`);
      case "thinking":
        if (part.text === "" || this.#reasoningName === undefined) return opening;
        return opening + this.#chunk(index, `{"${this.#reasoningName}":${JSON.stringify(part.text)}}`);
      case "tool-call": {
        const place = choiceProgress.calls;
        choiceProgress.calls += 1;
        if (!this.#callsAsFunctions) {
          this.#toolForms ??= toolFormsOf(this.#requestBody, "inside");
          const call = { index: place, ...toToolCall(part, this.#toolForms.get(part.name)) };
          return opening + this.#chunk(index, JSON.stringify({ tool_calls: [call] }));
        }
        if (place > 0) return opening;
        return opening + this.#chunk(index, JSON.stringify({ function_call: toFunctionCall(part) }));
      }
      case "logprobs":
        return opening + this.#chunk(index, "{}", `{"content":${JSON.stringify(part.content)},"refusal":null}`);
      case "finish":
        return opening + this.#finish(index, choiceProgress, part.reason);
    }
  }

  /** Every choice starts with its role. */
  #open(index: number, choiceProgress: ChoiceProgress): string {
    this.#choices.set(index, choiceProgress);
    return this.#chunk(index, '{"role":"assistant","content":""}');
  }

  #finish(index: number, choiceProgress: ChoiceProgress, reason: Parameters<typeof toFinishReason>[0]): string {
    if (choiceProgress.isFinished) return "";
    choiceProgress.isFinished = true;
    const finishReason = toFinishReason(reason, choiceProgress.calls > 0, this.#callsAsFunctions);
    return this.#chunk(index, "{}", "null", `"${finishReason}"`);
  }

  /** Ends every choice that the provider left open: clients wait for that. */
  #end(receipt: Receipt): string {
    let frames = this.#choices.has(0) ? "" : this.#open(0, { calls: 0, isFinished: false });
    for (const [index, choiceProgress] of this.#choices) frames += this.#finish(index, choiceProgress, "unknown");
    const { trunkline } = answeringModelsField(receipt);
    const answeringModels = trunkline === undefined ? "" : `,"trunkline":${JSON.stringify(trunkline)}`;
    if (this.#includeUsage)
      frames += `${this.#head}${answeringModels},"choices":[]${writeUsage(receipt, ',"usage":{"prompt_tokens":', "}}\n\n")}`;
    // A client that did not ask for the usage expects a choice in every chunk.
    else if (answeringModels !== "") frames += this.#chunk(0, "{}", "null", "null", answeringModels);
    return frames + STREAM_DONE;
  }

  /** A chunk with one choice. All but the index is JSON already. */
  #chunk(index: number, delta: string, logprobs = "null", finishReason = "null", answeringModels = ""): string {
    return this.#beforeDelta(index, logprobs, finishReason, answeringModels) + delta + this.#tail;
  }

  #beforeDelta(index: number, logprobs = "null", finishReason = "null", answeringModels = ""): string {
    return `${this.#head}${answeringModels},"choices":[{"logprobs":${logprobs},"finish_reason":${finishReason},"index":${index},"delta":`;
  }
}
