/** Every error type the service can respond with, and its status. Mirrored in docs/errors.md; a test compares them. */
export const FAULT_STATUS = {
  invalid_request: 400,
  context_length_exceeded: 400,
  previous_response_not_found: 400,
  request_rejected: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  invalid_session: 401,
  invalid_login: 401,
  payment_required: 402,
  insufficient_balance: 402,
  budget_exceeded: 402,
  insufficient_scope: 403,
  insufficient_role: 403,
  cross_site: 403,
  account_suspended: 403,
  recent_login_needed: 403,
  sso_required: 403,
  sign_up_closed: 403,
  data_rules_unmet: 403,
  unsafe_input: 403,
  unsafe_output: 403,
  not_found: 404,
  model_not_found: 404,
  invalid_code: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_in_progress: 409,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  check_failed: 422,
  rate_limited: 429,
  internal: 500,
  provider_error: 502,
  no_model_available: 503,
  overloaded: 503,
  unavailable: 503,
  provider_timeout: 504,
} as const;

export type FaultType = keyof typeof FAULT_STATUS;

/** What an error response may contain beyond its message. Only the fields named here ever reach a client. */
export interface FaultDetails {
  /** The invalid field. */
  readonly param?: string;
  /** The categories for which the safety check refused. */
  readonly categories?: readonly string[];
  /** Where in the text these were found, as offsets, end exclusive. */
  readonly spans?: readonly { readonly category: string; readonly start: number; readonly end: number }[];
  /** Which candidates were tried and how each failed. */
  readonly attempts?: readonly { readonly model: string; readonly reason: string; readonly ms: number }[];
  /** What was charged although the response is an error, in credits. */
  readonly cost?: number;
  readonly retryAfterSeconds?: number;
  /** The type that clients of other vendors' formats are told instead: what all providers said, or would have said. */
  readonly providersSaid?: FaultType;
  readonly allow?: readonly string[];
  /** The terms of a payment for this request, as the header of x402 has them. */
  readonly paymentRequired?: string;
}

/** An expected refusal. Anything else that is thrown is a bug and gives a 500. */
export class Fault extends Error {
  override readonly name = "Fault";
  readonly type: FaultType;
  readonly status: number;
  readonly details: FaultDetails;

  constructor(type: FaultType, message: string, details: FaultDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.type = type;
    this.status = FAULT_STATUS[type];
    this.details = details;
  }
}

/** Why the service ended a request before its answer was complete: it stops. */
export class ServiceStopping extends Fault {
  constructor() {
    super("unavailable", "The service is stopping. What was delivered is charged; send the request again.", {
      retryAfterSeconds: 1,
    });
  }
}

/** A mistake in the setup: the service does not start, and the message says what to do. */
export class StartupError extends Error {
  override readonly name: string = "StartupError";
}
