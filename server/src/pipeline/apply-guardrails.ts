import type { Caller } from "@trunkline/core/caller.ts";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import type { Content, Conversation } from "@trunkline/core/conversation.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import { cachedFullNameOf } from "@trunkline/core/model.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Services } from "../app/services.ts";
import type { HookText } from "../guardrails/ask-hook.ts";

/** Asks the account's hooks about a request. Returns it as they leave it, or throws their refusal. */
export async function guardInput(
  services: Services,
  caller: Caller,
  inference: Inference,
  trace: RequestTrace,
  signal: CancelSignal,
): Promise<Inference> {
  const hooks = await services.guardrailHooks.hooksFor(caller.accountId, "input");
  if (hooks.length === 0) return inference;
  const texts = textsOfRequest(inference.conversation);
  const question = {
    side: "input" as const,
    requestId: trace.requestId,
    keyId: caller.keyId,
    path: trace.path,
    model: inference.model,
    tags: inference.tags,
    texts,
  };
  const outcome = await services.guardrailHooks.ask(hooks, question, signal);
  trace.annotations = { ...trace.annotations, ...outcome.annotations };
  trace.endStage("guardrail");
  if (outcome.refusal !== undefined)
    throw new Fault("unsafe_input", `The input was refused by your organisation's guardrail: ${outcome.refusal}.`, {
      categories: ["guardrail"],
    });
  if (outcome.texts === undefined) return inference;
  const left = [...outcome.texts];
  const guarded = { ...inference, conversation: mapTexts(inference.conversation, (text) => left.shift() ?? text) };
  trace.inference = guarded;
  return guarded;
}

/** Whether the account's hooks are asked about answers: these are then held back until the hooks have seen all of them. */
export async function guardsOutput(services: Services, caller: Caller): Promise<boolean> {
  return (await services.guardrailHooks.hooksFor(caller.accountId, "output")).length > 0;
}

/** Asks the account's hooks about a whole answer. Returns its parts as they leave them, or throws their refusal. */
export async function guardOutput(
  services: Services,
  caller: Caller,
  inference: Inference,
  trace: RequestTrace,
  parts: readonly Part[],
  signal: CancelSignal,
): Promise<readonly Part[]> {
  const hooks = await services.guardrailHooks.hooksFor(caller.accountId, "output");
  const joined = joinTexts(parts);
  const texts = joined.flatMap(textOfPart);
  if (hooks.length === 0 || texts.length === 0) return parts;
  const question = {
    side: "output" as const,
    requestId: trace.requestId,
    keyId: caller.keyId,
    path: trace.path,
    model: trace.chosen === undefined ? undefined : cachedFullNameOf(trace.chosen.model),
    tags: inference.tags,
    texts,
  };
  const outcome = await services.guardrailHooks.ask(hooks, question, signal);
  trace.annotations = { ...trace.annotations, ...outcome.annotations };
  trace.endStage("guardrail");
  if (outcome.refusal !== undefined)
    throw new Fault("unsafe_output", `The answer was refused by your organisation's guardrail: ${outcome.refusal}.`, {
      categories: ["guardrail"],
    });
  if (outcome.texts === undefined) return parts;
  const left = [...outcome.texts];
  // Probabilities and timings belong to the words that the model chose.
  return joined
    .filter(({ type }) => type !== "logprobs" && type !== "timings")
    .map((part) => (textOfPart(part).length === 0 ? part : withText(part, left.shift() ?? "")));
}

/** One text for each choice, in the place of its first piece: a hook must not see words that are cut in two. */
function joinTexts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  const places = new Map<string, number>();
  for (const part of parts) {
    const isText = part.type === "text" || (part.type === "thinking" && part.sealed === undefined);
    const key = isText ? `${part.type} ${part.choice ?? 0}` : undefined;
    const place = key === undefined ? undefined : places.get(key);
    const known = place === undefined ? undefined : joined[place];
    if (place !== undefined && known?.type === "text" && part.type === "text")
      joined[place] = { ...known, text: known.text + part.text };
    else if (place !== undefined && known?.type === "thinking" && part.type === "thinking")
      joined[place] = { ...known, ...part, text: known.text + part.text };
    else {
      if (key !== undefined) places.set(key, joined.length);
      joined.push(part);
    }
  }
  return joined;
}

function textOfPart(part: Part): HookText[] {
  const role = "assistant";
  if (part.type === "text") return [{ role, type: "text", text: part.text }];
  if (part.type === "thinking" && part.text !== "") return [{ role, type: "reasoning", text: part.text }];
  return part.type === "tool-call" ? [{ role, type: "tool_call", text: part.arguments }] : [];
}

function withText(part: Part, text: string): Part {
  if (part.type === "text") return { ...part, text };
  if (part.type === "tool-call") return { ...part, arguments: text };
  // The signature is of the words before the change.
  return part.type === "thinking" ? { type: "thinking", text, choice: part.choice } : part;
}

function textsOfRequest(conversation: Conversation): HookText[] {
  const texts: HookText[] = [];
  for (const { role, content } of conversation.messages)
    for (const piece of content) {
      const type = TYPE_OF_CONTENT[piece.type];
      if (type !== undefined) texts.push({ role, type, text: textOf(piece) });
    }
  return texts;
}

const TYPE_OF_CONTENT: Readonly<Record<Content["type"], HookText["type"] | undefined>> = {
  text: "text",
  thinking: "reasoning",
  "tool-call": "tool_call",
  "tool-result": "tool_result",
  attachment: undefined,
};

function textOf(piece: Content): string {
  if (piece.type === "attachment") return "";
  return piece.type === "tool-call" ? piece.arguments : piece.text;
}

function mapTexts(conversation: Conversation, change: (text: string) => string): Conversation {
  return {
    ...conversation,
    messages: conversation.messages.map((message) => ({
      ...message,
      content: message.content.map((piece) => {
        if (piece.type === "attachment") return piece;
        const before = textOf(piece);
        const after = change(before);
        if (after === before) return piece;
        if (piece.type === "tool-call") return { ...piece, arguments: after };
        // The signature is of the words before the change.
        if (piece.type === "thinking") return { type: "thinking", text: after };
        return { ...piece, text: after };
      }),
    })),
  };
}
