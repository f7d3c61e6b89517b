import { isObject, type JsonObject, nonEmptyText, objectField, objectItems } from "@trunkline/core/json-object.ts";
import type { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { sanitiseMessage, toProviderFailure } from "../../http/provider-error.ts";

/** Error codes that are more specific than their status, and the status that corresponds to them. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  insufficient_quota: 402,
  insufficient_balance: 402,
  billing_hard_limit_reached: 402,
  billing_not_active: 402,
  exceeded_current_quota_error: 402,
  arrearage: 402,
  "1113": 402,
  invalid_api_key: 401,
  authentication_error: 401,
  invalid_authentication_error: 401,
  context_length_exceeded: 400,
  exceed_context_size_error: 400,
  string_above_max_length: 400,
};

/** Codes that only count where there is no status: within a stream it was sent long before. */
const STATUS_OF_CODE_IN_STREAM: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  badrequesterror: 400,
  content_filter: 400,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  rate_limit_reached_error: 429,
  requests: 429,
  tokens: 429,
  permission_error: 403,
  timeout: 504,
};

/** The provider's message in the body of an error, in any of the places where providers put it. */
export function errorMessageIn(given: unknown): string | undefined {
  const body = unwrapList(given);
  if (!isObject(body)) return undefined;
  const error = errorOf(body);
  const [first] = [...objectItems(body.errors), ...objectItems(body.detail)];
  const message =
    nonEmptyText(error.message) ??
    nonEmptyText(body.error) ??
    nonEmptyText(body.message) ??
    nonEmptyText(body.detail) ??
    nonEmptyText(objectField(body, "detail").error) ??
    nonEmptyText(first?.message) ??
    nonEmptyText(first?.msg) ??
    nonEmptyText(body.title);
  // A provider that forwards requests may include the message of the upstream provider.
  const passedOn = nonEmptyText(objectField(error, "metadata").raw);
  return message === undefined || passedOn === undefined ? message : `${message}: ${passedOn}`;
}

/** The status that the codes in an error's body correspond to; undefined: they add nothing to the actual one. */
export function errorStatusIn(given: unknown): number | undefined {
  const body = unwrapList(given);
  if (!isObject(body)) return undefined;
  return statusOfCodes(errorCodesIn(body), STATUS_OF_CODE);
}

/** The failure that an object of a successful response reports; undefined: none. */
export function failureIn(chunk: JsonObject, credential: Secret | undefined): ProviderFailure | undefined {
  const hasError = isObject(chunk.error) || nonEmptyText(chunk.error) !== undefined;
  if (!hasError && chunk.object !== "error" && !isObject(objectField(chunk, "x_groq").error)) return undefined;
  const names = errorCodesIn(chunk);
  const code = names.map(Number).find((name) => Number.isInteger(name) && name >= 400 && name < 600);
  return toProviderFailure({
    code: statusOfCodes(names, STATUS_OF_CODE) ?? code ?? statusOfCodes(names, STATUS_OF_CODE_IN_STREAM),
    description: "reported an error",
    message: sanitiseMessage(errorMessageIn(chunk), credential),
    retryAfterSeconds: undefined,
  });
}

/** Some providers wrap the body of an error in a list. */
function unwrapList(body: unknown): unknown {
  return Array.isArray(body) ? body[0] : body;
}

/** The error in a body, which is the body itself for some providers. */
function errorOf(body: JsonObject): JsonObject {
  if (isObject(body.error)) return body.error;
  const { error } = objectField(body, "x_groq");
  return isObject(error) ? error : body;
}

function errorCodesIn(body: JsonObject): readonly string[] {
  const error = errorOf(body);
  return [error.code, error.type, body.code].flatMap((name) =>
    typeof name === "string" || typeof name === "number" ? [`${name}`.toLowerCase()] : [],
  );
}

function statusOfCodes(names: readonly string[], known: Readonly<Record<string, number>>): number | undefined {
  const name = names.find((candidate) => Object.hasOwn(known, candidate));
  return name === undefined ? undefined : known[name];
}
