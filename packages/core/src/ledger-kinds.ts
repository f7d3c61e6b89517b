/** How credits come in. */
export const INCOMING_KINDS = ["grant", "redeem", "purchase", "deposit", "x402", "dispute_won"] as const;
export type IncomingKind = (typeof INCOMING_KINDS)[number];

/** How credits go out otherwise than by charges. */
export const OUTGOING_KINDS = ["refund", "dispute", "debt"] as const;
export type OutgoingKind = (typeof OUTGOING_KINDS)[number];

/** What becomes of a purchase by card. */
export const ORDER_STATES = ["open", "paid", "failed", "expired", "mismatch"] as const;
export type OrderState = (typeof ORDER_STATES)[number];
