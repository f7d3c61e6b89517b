import type { Content, Tool } from "@trunkline/core/conversation.ts";
import type { Extras, Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";

/** What is kept for an hour costs more to put into a provider's cache than what is kept for minutes. */
const DEAR = "1h";

/**
 * The request as a model may be asked it. The prices that are known without being told of are those of a cache for
 * minutes: where they are what is charged, nothing is kept for longer. Whoever pays the provider, or has said the
 * price, may have it as it was asked.
 */
export function shortenCaches(
  inference: Inference,
  { discovered, ownKey }: Pick<Model, "discovered" | "ownKey">,
  onDropped: (field: string) => void,
): Inference {
  const isCharged = discovered === true && ownKey !== true;
  if (!isCharged || !hasDearMark(inference)) return inference;
  onDropped("cache_control.ttl");
  const { conversation, extras } = inference;
  return {
    ...inference,
    conversation: {
      ...conversation,
      messages: conversation.messages.map((message) => ({
        ...message,
        content: message.content.map(shorten),
      })),
      tools: conversation.tools.map(shorten),
    },
    ...(extras === undefined ? {} : { extras: shortenExtras(extras) }),
  };
}

function hasDearMark({ conversation: { messages, tools }, extras }: Inference): boolean {
  return (
    messages.some(({ content }) => content.some(isDear)) ||
    tools.some(isDear) ||
    isDearControl(extras?.fields.cache_control)
  );
}

function isDear(piece: Content | Tool): boolean {
  return "cache" in piece && piece.cache?.ttl === DEAR;
}

function shorten<Piece extends Content | Tool>(piece: Piece): Piece {
  return isDear(piece) ? { ...piece, cache: { ttl: undefined } } : piece;
}

function shortenExtras(extras: Extras): Extras {
  const { cache_control: control } = extras.fields;
  if (!isDearControl(control)) return extras;
  return { ...extras, fields: { ...extras.fields, cache_control: { type: "ephemeral" } } };
}

function isDearControl(control: unknown): boolean {
  return typeof control === "object" && control !== null && "ttl" in control && control.ttl === DEAR;
}
