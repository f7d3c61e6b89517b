import { ApiError, createClient } from "@trunkline/sdk";
import { isEnglish, texts } from "../texts/texts.ts";
import { watchedFetch } from "./connection.ts";

/** The one client of the dashboard. The browser's session says who it is; the query client decides what is tried again. */
const client = createClient({ maxRetries: 0, fetch: watchedFetch });

/** The same, with errors in the language of the page. */
export const api: ReturnType<typeof createClient> = {
  ...client,
  call: (name, ...rest) => client.call(name, ...rest).catch(rethrowTranslated),
  text: (name, accept, ...rest) => client.text(name, accept, ...rest).catch(rethrowTranslated),
};

function rethrowTranslated(error: unknown): never {
  if (error instanceof ApiError) error.message = messageOf(error);
  throw error;
}

/**
 * What the API said, in the language of the page where its type is known. English stays as it came, as it says more. Where
 * only the API's own words tell what is wrong, they stand behind the translation.
 */
export function messageOf({ type, message }: Pick<ApiError, "type" | "message">): string {
  const known: Readonly<Record<string, string>> = texts.api.errors;
  const text = Object.hasOwn(known, type) ? known[type] : undefined;
  return isEnglish() || text === undefined ? message : text.replace("{detail}", () => message);
}
