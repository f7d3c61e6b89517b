import { isObject } from "@trunkline/core/json-object.ts";
import type { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { sanitiseMessage, toProviderFailure } from "../../http/provider-error.ts";

/** The API's exceptions, in lower case, as HTTP statuses. */
const STATUS_OF_EXCEPTION: Readonly<Record<string, number>> = {
  accessdeniedexception: 403,
  expiredtokenexception: 401,
  internalserverexception: 500,
  // The model failed, not the request, although the API uses a 4xx status.
  modelerrorexception: 500,
  modelnotreadyexception: 429,
  modelstreamerrorexception: 500,
  modeltimeoutexception: 504,
  resourcenotfoundexception: 404,
  servicequotaexceededexception: 429,
  serviceunavailableexception: 503,
  throttlingexception: 429,
  unrecognizedclientexception: 401,
  validationexception: 400,
};
const MODEL_ERROR = 424;

/**
 * The provider's message in the body of an error. Only its first line: where a signature does not match, the rest
 * repeats the request with its headers.
 */
export function errorMessageIn(body: unknown): unknown {
  if (!isObject(body)) return undefined;
  const message = body.message ?? body.Message;
  return typeof message === "string" ? message.trimStart().split("\n", 1)[0] : undefined;
}

/** The status that corresponds to an exception, where it is more specific than the actual one. */
export function errorStatusIn(body: unknown, status: number): number | undefined {
  const type = isObject(body) ? (body.__type ?? body.code) : undefined;
  // The name may have a namespace before it and a URL after it.
  const name = typeof type === "string" ? type.replace(/^.*#/, "").replace(/:.*$/, "") : "";
  return statusOfName(name) ?? (status === MODEL_ERROR ? STATUS_OF_EXCEPTION.modelerrorexception : undefined);
}

/** The failure for an exception within a stream. */
export function failureInStream(name: string, body: unknown, credential: Secret | undefined): ProviderFailure {
  return toProviderFailure({
    code: statusOfName(name),
    description: "reported an error",
    message: sanitiseMessage(errorMessageIn(body), credential),
    retryAfterSeconds: undefined,
  });
}

function statusOfName(name: string): number | undefined {
  const known = name.toLowerCase();
  return Object.hasOwn(STATUS_OF_EXCEPTION, known) ? STATUS_OF_EXCEPTION[known] : undefined;
}
