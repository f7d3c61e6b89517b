import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { errorMessageOf, rawErrorMessage, toProviderFailure } from "../../http/provider-error.ts";

/** The API's error types as HTTP statuses. */
const STATUS_OF_ERROR_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** The error object in a body or an event. */
function errorIn(body: unknown): unknown {
  return typeof body === "object" && body !== null && "error" in body ? body.error : undefined;
}

/** The provider's message in the body of an error. */
export function errorMessageIn(body: unknown): unknown {
  return rawErrorMessage(errorIn(body));
}

/** The status that corresponds to an error's type, where it is more specific than the actual one. */
export function errorStatusIn(body: unknown): number | undefined {
  const error = errorIn(body);
  if (isCreditError(rawErrorMessage(error))) return STATUS_OF_ERROR_TYPE.billing_error;
  const type = typeof error === "object" && error !== null && "type" in error ? error.type : undefined;
  return typeof type === "string" && Object.hasOwn(STATUS_OF_ERROR_TYPE, type) ? STATUS_OF_ERROR_TYPE[type] : undefined;
}

/** The failure for an error within an answer. */
export function failureIn(body: unknown, credential: Secret | undefined): ProviderFailure {
  return toProviderFailure({
    code: errorStatusIn(body),
    description: "reported an error",
    message: errorMessageOf(errorIn(body), credential),
    retryAfterSeconds: undefined,
  });
}

/**
 * A lack of credit is reported as a bad request. Only the start of the message counts: the rest may quote the request.
 */
function isCreditError(message: unknown): boolean {
  return typeof message === "string" && /^your credit balance is too low/i.test(message);
}

/** The failure for an answer that stops in the middle. */
export function endedEarly(): ProviderFailure {
  return new ProviderFailure("broken", "ended its answer before it was done");
}
