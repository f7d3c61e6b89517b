import type { Content, Tool } from "@trunkline/core/conversation.ts";
import type { Extras, Inference } from "@trunkline/core/inference.ts";
import type { Model } from "@trunkline/core/model.ts";
import type { Quote } from "@trunkline/core/route.ts";

/**
 * If neither the client nor the table of known models sets a limit, a discovered model is asked for no more tokens than
 * the hold covers, as the provider charges us for all of them. The owner of a registered model sets its limit, or bears
 * what exceeds the hold.
 */
export function capMaxTokens(
  inference: Inference,
  { discovered, ownKey, maxOutputTokens, type }: Model,
  quote: Quote,
): Inference {
  const isUnlimited = inference.parameters.maxTokens === undefined && maxOutputTokens === undefined;
  const makesText = type === "text" || type === "multimodal";
  if (!isUnlimited || !makesText || discovered !== true || ownKey === true) return inference;
  return { ...inference, parameters: { ...inference.parameters, maxTokens: quote.maxOutputTokens } };
}

/** The lifetime of a provider's cache that costs more to write than the default of minutes. */
const LONG_TTL = "1h";

/**
 * Shortens the lifetime of caches where we charge the list price of a discovered model: that is the price of a cache
 * for minutes. Accounts that pay the provider themselves, and models whose owner sets the price, keep what was
 * requested.
 */
export function clampCacheTtl(
  inference: Inference,
  { discovered, ownKey }: Pick<Model, "discovered" | "ownKey">,
  onUnsupported: (field: string) => void,
): Inference {
  const isCharged = discovered === true && ownKey !== true;
  if (!isCharged || !hasLongTtl(inference)) return inference;
  onUnsupported("cache_control.ttl");
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
