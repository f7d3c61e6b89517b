import { isObject, isPresent, type JsonObject, objectItems } from "@trunkline/core/json-object.ts";
import type { Secret } from "@trunkline/core/secret.ts";
import { errorMessageOf, toProviderFailure } from "../../http/provider-error.ts";

const UNAUTHENTICATED = 401;
const FORBIDDEN = 403;
const SECONDS_MAX = 86_400;

/** The error object in a body; some come in a list. */
export function errorIn(body: unknown): JsonObject | undefined {
  const holder: unknown = Array.isArray(body) ? body[0] : body;
  return isObject(holder) && isObject(holder.error) ? holder.error : undefined;
}

/** An unknown key, and an unsupported region or account, are reported as bad requests, but are not. */
export function errorStatusIn(body: unknown): number | undefined {
  const error = errorIn(body);
  if (error === undefined) return undefined;
  const reasons = objectItems(error.details).map(({ reason }) => reason);
  if (reasons.includes("API_KEY_INVALID")) return UNAUTHENTICATED;
  return error.status === "FAILED_PRECONDITION" ? FORBIDDEN : undefined;
}

/** The seconds in `"retryDelay": "34.07s"`. */
export function retryAfterOf(body: unknown): number | undefined {
  const delays = objectItems(errorIn(body)?.details).map(({ retryDelay }) => retryDelay);
  const seconds = delays.flatMap((delay) =>
    typeof delay === "string" ? (/^(\d+(?:\.\d+)?)s$/.exec(delay)?.[1] ?? []) : [],
  )[0];
  return seconds === undefined ? undefined : Math.min(Math.ceil(Number(seconds)), SECONDS_MAX);
}

/** Throws where an answer is an error, also in the middle of a stream. */
export function throwIfError(answer: JsonObject, credential: Secret | undefined): void {
  if (!isPresent(answer.error)) return;
  const code = isObject(answer.error) ? Number(answer.error.code) : Number.NaN;
  throw toProviderFailure({
    code: errorStatusIn(answer) ?? (code >= 400 && code < 600 ? code : undefined),
    description: "reported an error",
    message: errorMessageOf(answer.error, credential),
    retryAfterSeconds: retryAfterOf(answer),
  });
}
