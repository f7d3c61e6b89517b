import type { Content, Tool } from "@trunkline/core/conversation.ts";
import type { Extras, Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Quote } from "@trunkline/core/route.ts";

/**
 * Where neither the client nor the table of known models sets a limit, a known provider is asked for no more than was
 * set aside: it would take its money for all of it. Whoever registers a model says its limit, or bears what is beyond.
 */
export function capMaxTokens(
  inference: Inference,
  { discovered, ownKey, maxOutputTokens, type }: Model,
  quote: Quote,
): Inference {
  const isOpen = inference.parameters.maxTokens === undefined && maxOutputTokens === undefined;
  const speaks = type === "text" || type === "multimodal";
  if (!isOpen || !speaks || discovered !== true || ownKey === true) return inference;
  return { ...inference, parameters: { ...inference.parameters, maxTokens: quote.maxOutputTokens } };
}

/** What is kept for an hour costs more to put into a provider's cache than what is kept for minutes. */
const LONG_TTL = "1h";

/**
 * The request as a model may be asked it. The prices that are known without being told of are those of a cache for
 * minutes: where they are what is charged, nothing is kept for longer. Whoever pays the provider, or has said the
 * price, may have it as it was asked.
 */
export function clampCacheTtl(
  inference: Inference,
  { discovered, ownKey }: Pick<Model, "discovered" | "ownKey">,
  onDropped: (field: string) => void,
): Inference {
  const isCharged = discovered === true && ownKey !== true;
  if (!isCharged || !hasLongTtl(inference)) return inference;
  onDropped("cache_control.ttl");
  const { conversation, extras } = inference;
  return {
    ...inference,
    conversation: {
      ...conversation,
      messages: conversation.messages.map((message) => ({
        ...message,
        content: message.content.map(clampPiece),
      })),
      tools: conversation.tools.map(clampPiece),
    },
    ...(extras === undefined ? {} : { extras: clampExtras(extras) }),
  };
}

function hasLongTtl({ conversation: { messages, tools }, extras }: Inference): boolean {
  return (
    messages.some(({ content }) => content.some(isLongTtl)) ||
    tools.some(isLongTtl) ||
    isLongTtlControl(extras?.fields.cache_control)
  );
}

function isLongTtl(piece: Content | Tool): boolean {
  return "cache" in piece && piece.cache?.ttl === LONG_TTL;
}

function clampPiece<Piece extends Content | Tool>(piece: Piece): Piece {
  return isLongTtl(piece) ? { ...piece, cache: { ttl: undefined } } : piece;
}

function clampExtras(extras: Extras): Extras {
  const { cache_control: control } = extras.fields;
  if (!isLongTtlControl(control)) return extras;
  return { ...extras, fields: { ...extras.fields, cache_control: { type: "ephemeral" } } };
}

function isLongTtlControl(control: unknown): boolean {
  return typeof control === "object" && control !== null && "ttl" in control && control.ttl === LONG_TTL;
}
