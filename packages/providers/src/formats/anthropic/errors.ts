import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { errorMessageOf, rawErrorMessage, toProviderFailure } from "../../http/provider-error.ts";

/** The API's words for what went wrong, as HTTP statuses. */
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

/** The provider's own words in the body of an error. */
export function errorMessageIn(body: unknown): unknown {
  return rawErrorMessage(errorIn(body));
}

/** The status that an error's type means, where it says more than the one it came with. */
export function errorStatusIn(body: unknown): number | undefined {
  const error = errorIn(body);
  if (isCreditError(rawErrorMessage(error))) return STATUS_OF_ERROR_TYPE.billing_error;
  const type = typeof error === "object" && error !== null && "type" in error ? error.type : undefined;
  return typeof type === "string" && Object.hasOwn(STATUS_OF_ERROR_TYPE, type) ? STATUS_OF_ERROR_TYPE[type] : undefined;
}

/** The failure that an error within an answer is. */
export function failureIn(body: unknown, credential: Secret | undefined): ProviderFailure {
  return toProviderFailure({
    code: errorStatusIn(body),
    description: "reported an error",
    message: errorMessageOf(errorIn(body), credential),
    retryAfterSeconds: undefined,
  });
}

/** An empty purse is told as a bad request. Only as its first words: what comes later may be quoted from the request. */
function isCreditError(message: unknown): boolean {
  return typeof message === "string" && /^your credit balance is too low/i.test(message);
}

/** What is said of an answer that stops in the middle. */
export function endedEarly(): ProviderFailure {
  return new ProviderFailure("broken", "ended its answer before it was done");
}
