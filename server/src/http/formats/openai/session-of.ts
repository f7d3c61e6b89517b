import type { Inference } from "@trunkline/core/inference.ts";

/**
 * The session that a request names, else the key under which its client has OpenAI look into its cache. Whoever sends
 * that key wants a cache to be used, and has not said that it pays for one model rather than another.
 */
export function sessionOf(
  { session }: Pick<Inference, "session">,
  { extras }: Pick<Inference, "extras">,
): Pick<Inference, "session" | "sessionIsImplied"> {
  if (session !== undefined) return { session };
  const key = extras?.fields.prompt_cache_key;
  return typeof key === "string" ? { session: key, sessionIsImplied: true } : {};
}
