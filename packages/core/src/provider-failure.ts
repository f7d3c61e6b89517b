import type { CallSpan } from "./trace-context.ts";

export const ATTEMPT_OUTCOMES = ["answered", "failed", "cut-off", "cancelled", "failed-check"] as const;
/**
 * How a call ended. cut-off: it failed in the middle of its answer. cancelled: another model was faster. failed-check:
 * its answer failed the check of a cascade.
 */
type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** One call of one candidate, as stored with the request. */
export interface Attempt {
  /** `provider/name` */
  readonly model: string;
  readonly outcome: AttemptOutcome;
  /** The kind of the provider's failure; undefined where it did not fail. */
  readonly kind?: ProviderFailure["kind"] | undefined;
  /** A sentence; "ok" for an answer. */
  readonly reason: string;
  /** The provider's own error message. */
  readonly said?: string | undefined;
  /** From the start of the call to its end or failure. */
  readonly ms: number;
  readonly firstPartMs: number | undefined;
  /** Its place in the trace; it is not stored. undefined: no traces are made. */
  readonly span?: CallSpan | undefined;
}

/** Why a provider call failed. Created where the failure is detected, so that later code does not have to guess. */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
  /** Safe to show to a client: never contains a credential or the provider's whole body. */
  readonly reason: string;
  readonly kind: "refused" | "timeout" | "rate-limited" | "overloaded" | "rejected" | "broken" | "too-large";
  /** Whether it rejected the request as longer than its context window. */
  readonly isTooLong: boolean;
  readonly retryAfterSeconds: number | undefined;
  /** The provider's own error message, sanitised, for the request record. */
  readonly said: string | undefined;
  /** Whether this is a sign of the endpoint's health, rather than of this one request. */
  readonly blamesEndpoint: boolean;
  /** The endpoint serves no request until its owner acts; undefined: the failure may be temporary. */
  readonly outage: OutageCause | undefined;

  constructor(
    kind: ProviderFailure["kind"],
    reason: string,
    extra: {
      retryAfterSeconds?: number | undefined;
      blamesEndpoint?: boolean;
      said?: string | undefined;
      outage?: OutageCause | undefined;
      isTooLong?: boolean;
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
    this.isTooLong = extra.isTooLong ?? false;
  }

  /** The same failure with other words instead of the provider's own; undefined: without any. */
  withWords(words: string | undefined): ProviderFailure {
    const { kind, said, retryAfterSeconds, blamesEndpoint, outage } = this;
    if (said === undefined || words === said) return this;
    const reason = this.reason.replaceAll(said, () => words ?? "its words are withheld");
    return new ProviderFailure(
      kind,
      reason,
      { retryAfterSeconds, blamesEndpoint, said: words, outage },
      { cause: this },
    );
  }
}

/** Why a provider serves no request at an endpoint until its owner acts. */
export type OutageCause = "credential" | "funds";

/** An endpoint whose provider refuses to serve us. */
export interface Outage {
  readonly why: OutageCause;
  /** When it began, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** The latest time of the next attempt. */
  readonly nextTryMs: number;
}

/** Each cause as a message. */
export const OUTAGE_MESSAGES: Readonly<Record<OutageCause, string>> = {
  credential: "the provider refused the credential",
  funds: "the account with the provider is out of money or over its quota",
};
