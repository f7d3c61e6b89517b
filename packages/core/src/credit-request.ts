/** What can become of a request for credits. */
export const CREDIT_REQUEST_STATES = ["open", "granted", "declined", "withdrawn"] as const;
export type CreditRequestState = (typeof CREDIT_REQUEST_STATES)[number];
