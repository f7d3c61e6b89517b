import { queryOptions } from "@tanstack/react-query";
import { type AnswerOf, ApiError } from "@trunkline/sdk";
import { texts } from "../texts/texts.ts";
import { api } from "./client.ts";

/** The result of a log-in: a session, or the second factor is asked for. */
export type Entry = AnswerOf<"POST /v1/auth/log-in">;

/** What unauthenticated clients may do: sign up, get mail. */
export const signInFeaturesQuery = queryOptions({
  queryKey: ["sign-in-features"],
  queryFn: ({ signal }) => api.call("GET /v1/auth/features", { signal }),
  staleTime: 60_000,
});

/** The message of an error that is about this field. */
export function errorAt(error: unknown, field: string): string | undefined {
  return error instanceof ApiError && error.param === field ? plain(error.message, field) : undefined;
}

/** The message of an error that is about none of these fields. */
export function errorBeside(error: unknown, fields: readonly string[]): string | undefined {
  if (error === null || error === undefined) return undefined;
  if (error instanceof ApiError) {
    return error.param !== undefined && fields.includes(error.param) ? undefined : plain(error.message);
  }
  return error instanceof Error && error.message !== "" ? error.message : texts.api.failed;
}

/** The API writes for developers. On a page the backticks are noise, and the field is above its error. */
function plain(message: string, field = ""): string {
  const words = message.replaceAll("`", "");
  const rest = field !== "" && words.startsWith(field) ? words.slice(field.length).replace(/^[:\s]+/, "") : words;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** Whether the server refused for this reason. */
export function isRefusal(error: unknown, type: string): boolean {
  return error instanceof ApiError && error.type === type;
}
