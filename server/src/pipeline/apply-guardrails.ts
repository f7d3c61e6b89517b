import type { Caller } from "@trunkline/core/caller.ts";
import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import type { Content, Conversation } from "@trunkline/core/conversation.ts";
import { Fault } from "@trunkline/core/fault.ts";
import type { Inference } from "@trunkline/core/inference.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { Services } from "../app/services.ts";
import type { Annotations, HookText } from "../guardrails/ask-hook.ts";

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
  noteAnnotations(trace, outcome.annotations);
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

/** Names beyond it are left out: every section of a stream may bring others. */
const ANNOTATIONS_MAX = 64;

/** Adds what hooks noted about a request to what is known of it; a name that is there already gets the newer words. */
export function noteAnnotations(trace: RequestTrace, annotations: Annotations): void {
  const noted = new Map(Object.entries(trace.annotations ?? {}));
  for (const [name, words] of Object.entries(annotations))
    if (noted.size < ANNOTATIONS_MAX || noted.has(name)) noted.set(name, words);
  if (noted.size > 0) trace.annotations = Object.fromEntries(noted);
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
