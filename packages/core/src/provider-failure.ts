export const ATTEMPT_OUTCOMES = ["answered", "failed", "cut-off", "cancelled", "failed-check"] as const;
/**
 * What became of a call. cut-off: it had begun to answer. cancelled: another model was faster.
 * failed-check: it answered, and its answer failed the check of a cascade.
 */
type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** One call of one candidate, as the request record keeps it. */
export interface Attempt {
  /** `provider/name` */
  readonly model: string;
  readonly outcome: AttemptOutcome;
  /** Of what kind the provider's failure was; undefined where it did not fail. */
  readonly kind?: ProviderFailure["kind"] | undefined;
  /** In words; "ok" for an answer. */
  readonly reason: string;
  /** The provider's own words on why it failed. */
  readonly said?: string | undefined;
  /** From the call to its end or failure. */
  readonly ms: number;
  readonly firstPartMs: number | undefined;
}

/** Why a provider call failed. Born where the failure is seen, so that nobody downstream has to guess. */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
  /** For people, safe to show to a client: never holds a credential or the provider's whole body. */
  readonly reason: string;
  readonly kind: "refused" | "timeout" | "rate-limited" | "rejected" | "broken" | "too-large";
  readonly retryAfterSeconds: number | undefined;
  /** The provider's own words, cleaned, for the record of the request. */
  readonly said: string | undefined;
  /** Whether this says something about the endpoint's health, rather than about this one request. */
  readonly blamesEndpoint: boolean;
  /** Nobody will be served there until somebody does something about it; undefined: it may pass. */
  readonly outage: OutageCause | undefined;

  constructor(
    kind: ProviderFailure["kind"],
    reason: string,
    extra: {
      retryAfterSeconds?: number | undefined;
      blamesEndpoint?: boolean;
      said?: string | undefined;
      outage?: OutageCause | undefined;
    } = {},
    options?: ErrorOptions,
  ) {
    super(reason, options);
    this.kind = kind;
    this.reason = reason;
    this.retryAfterSeconds = extra.retryAfterSeconds;
    this.said = extra.said;
    this.blamesEndpoint = extra.blamesEndpoint ?? true;
    this.outage = extra.outage;
  }
}

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
