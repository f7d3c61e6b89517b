import type { Secret } from "@trunkline/core/secret.ts";
import { isJsonText } from "../credentials/cloud-credential.ts";
import type { DialRequest } from "../dialer/dial-request.ts";
import type { Dialer } from "../dialer/dialer.ts";
import type { KnownProvider } from "./known-providers.ts";

/** Longer than any provider should take. No request waits for it. */
const ANSWER_WITHIN_MS = 10_000;

interface ModelListQuery {
  readonly provider: Pick<KnownProvider, "wire">;
  readonly base: { readonly url: string; readonly chosen: boolean };
  readonly key: Secret;
}

/** Why a provider's list of models is not known. */
export const UNLISTED_REASONS = ["no_answer", "key_refused", "failed", "unreadable", "incomplete"] as const;

export interface UnlistedModels {
  readonly reason: (typeof UNLISTED_REASONS)[number];
  /** What happened, to follow the provider's name in a sentence. */
  readonly detail: string;
}

/** The names of the models that a key may use, according to its provider, or why it does not say; undefined: it has no list. */
export async function listModels(
  dialer: Dialer,
  { provider, base, key }: ModelListQuery,
  signal: AbortSignal,
): Promise<readonly string[] | UnlistedModels | undefined> {
  const question = keyCheckOf(provider.wire, base.url, key.reveal());
  if (question === undefined) return undefined;
  const answer = await askForJson(dialer, { ...question, mayDialPrivate: base.chosen }, ANSWER_WITHIN_MS, signal);
  if ("reason" in answer) return answer;
  const names = modelNamesIn(answer.json);
  if (names === undefined) return NOT_A_LIST;
  // An empty or truncated list says nothing about missing models.
  if (names.length === 0) return { reason: "incomplete", detail: "listed no models" };
  return hasMore(answer.json) ? { reason: "incomplete", detail: "listed only a part of its models" } : names;
}

const NOT_A_LIST: UnlistedModels = {
  reason: "unreadable",
  detail: "answered with something that is not a list of models",
};

/**
 * The request for a provider's models under a key, which a wrong key fails; undefined: its format has none, or the
 * credential is none that is sent.
 */
export function keyCheckOf(wire: KnownProvider["wire"], base: string, key: string) {
  if (isJsonText(key)) return undefined;
  if (wire === "openai") return { url: `${base}/models`, headers: { authorization: `Bearer ${key}` } };
  if (wire === "anthropic")
    return {
      url: `${base.replace(/\/v1$/, "")}/v1/models?limit=1000`,
      headers: { "x-api-key": key, "anthropic-version": "2023-06-01" },
    };
  if (wire === "gemini") return { url: `${base}/v1beta/models?pageSize=1000`, headers: { "x-goog-api-key": key } };
  return undefined;
}

/**
 * Reads `{"data": [{"id"}]}` as most providers return it, a bare list of the same, or Gemini's `{"models":
 * [{"name"}]}`.
 */
export function modelNamesIn(answer: unknown): string[] | undefined {
  const list = Array.isArray(answer) ? answer : (fieldOf(answer, "data") ?? fieldOf(answer, "models"));
  if (!Array.isArray(list)) return undefined;
  const names = list.map((entry) => fieldOf(entry, "id") ?? fieldOf(entry, "name"));
  return names.every((name) => typeof name === "string") ? names : undefined;
}

function hasMore(answer: unknown): boolean {
  return fieldOf(answer, "has_more") === true || typeof fieldOf(answer, "nextPageToken") === "string";
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

const BYTES_MAX = 4 * 1024 * 1024;

/** The JSON that a URL returns; undefined where it is no JSON, too slow, or too long. Never throws. */
export async function getJson(
  dialer: Dialer,
  request: Pick<DialRequest, "url" | "headers" | "mayDialPrivate">,
  withinMs: number,
  signal: AbortSignal,
): Promise<unknown> {
  const answer = await askForJson(dialer, request, withinMs, signal);
  // A server that does not respond, or is something else, is simply not found.
  return "reason" in answer ? undefined : answer.json;
}

async function askForJson(
  dialer: Dialer,
  request: Pick<DialRequest, "url" | "headers" | "mayDialPrivate">,
  withinMs: number,
  signal: AbortSignal,
): Promise<{ readonly json: unknown } | UnlistedModels> {
  const limits = {
    connectMs: withinMs,
    firstByteMs: withinMs,
    silenceMs: withinMs,
    wholeMs: withinMs,
    responseBytes: BYTES_MAX,
    chunkBytes: BYTES_MAX,
  };
  const pieces: Buffer[] = [];
  try {
    const reply = await dialer.get({ ...request, limits }, signal);
    const { status } = reply;
    if (status !== 200) {
      reply.discardBody();
      return status === 401 || status === 403
        ? { reason: "key_refused", detail: `refused the key (${status})` }
        : { reason: "failed", detail: `answered ${status}` };
    }
    for await (const piece of reply.body) pieces.push(piece);
  } catch (error) {
    return {
      reason: "no_answer",
      detail: `gave no answer (${error instanceof Error ? error.message : String(error)})`,
    };
  }
  try {
    return { json: JSON.parse(Buffer.concat(pieces).toString("utf8")) };
  } catch {
    return NOT_A_LIST;
  }
}
