/** Why a provider serves nobody at an endpoint until somebody does something about it. */
export type OutageCause = "credential" | "funds";

/** An endpoint that its provider refuses to serve us at. */
export interface Outage {
  readonly why: OutageCause;
  /** When it began, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** When it is tried again at the latest. */
  readonly nextTryMs: number;
}

/** The same for people. */
export const OUTAGE_MESSAGES: Readonly<Record<OutageCause, string>> = {
  credential: "the provider refused the credential",
  funds: "the account with the provider is out of money or over its quota",
};
