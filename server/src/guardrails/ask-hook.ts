import type { CancelSignal } from "@trunkline/core/cancellation.ts";
import type { Clock } from "@trunkline/core/clock.ts";
import { newId } from "@trunkline/core/id.ts";
import { JSON_VALUES_MAX, parseStrictJson } from "@trunkline/core/strict-json.ts";
import { DialFailure, type DialResponse } from "@trunkline/providers/dialer/dial-request.ts";
import type { Dialer } from "@trunkline/providers/dialer/dialer.ts";
import { z } from "zod";
import { signedHeaders } from "../notify/webhooks/deliver.ts";
import type { HookSide, OpenGuardrailHook } from "./guardrail-hook.ts";

/** A text that a hook is asked about. */
export interface HookText {
  /** Of its message; an answer's are `assistant`. */
  readonly role: string;
  readonly type: "text" | "reasoning" | "tool_call" | "tool_result";
  readonly text: string;
  /** Of a section of a stream: the end of what was delivered of the same text before. */
  readonly before?: string | undefined;
}

export interface HookQuestion {
  readonly side: HookSide;
  readonly requestId: string;
  readonly keyId: string;
  readonly path: string;
  /** The model that the client named, or that answered. */
  readonly model: string | undefined;
  readonly tags: Readonly<Record<string, string>> | undefined;
  /** Which section of a streamed answer it is about, counted from 1; undefined: all of it. */
  readonly section?: { readonly number: number; readonly last: boolean } | undefined;
  readonly texts: readonly HookText[];
}

/** What a hook decided. */
export type HookDecision =
  | { readonly action: "allow"; readonly annotations: Annotations }
  | { readonly action: "refuse"; readonly reason: string | undefined; readonly annotations: Annotations }
  /** The same number of texts, in the same order. */
  | { readonly action: "redact"; readonly texts: readonly string[]; readonly annotations: Annotations }
  | { readonly action: "failed"; readonly why: string };

export type Annotations = Readonly<Record<string, string>>;

/** A larger question is not asked, and a larger answer is not read: both count as a failure. */
export const HOOK_BODY_BYTES_MAX = 2 * 1024 * 1024;
const ANNOTATIONS_MAX = 16;
/** How many values an answer may have beside the texts: to make more takes the time of other accounts' requests. */
const VALUES_MAX = 1_000;

const decisionSchema = z.object({
  action: z.enum(["allow", "refuse", "redact"]),
  reason: z.string().max(500).nullish(),
  texts: z.array(z.string()).nullish(),
  annotations: z
    .record(z.string().regex(/^[\w.-]{1,64}$/), z.string().max(256))
    .refine((annotations) => Object.keys(annotations).length <= ANNOTATIONS_MAX)
    .nullish(),
});

/** Asks one hook. Throws only where the signal aborts. */
export async function askHook(
  dialer: Dialer,
  clock: Clock,
  hook: OpenGuardrailHook,
  question: HookQuestion,
  signal: CancelSignal,
): Promise<HookDecision> {
  if (hook.secret === undefined) return failed("its secret can't be decrypted; make it again");
  const id = newId(clock.now());
  const body = JSON.stringify({
    id,
    type: `guardrail.${question.side}`,
    created_at: new Date(clock.now()).toISOString(),
    data: {
      request_id: question.requestId,
      key_id: question.keyId,
      path: question.path,
      model: question.model ?? null,
      tags: question.tags ?? {},
      section: question.section,
      texts: question.texts,
    },
  });
  if (Buffer.byteLength(body) > HOOK_BODY_BYTES_MAX) return failed("the texts are too long for it");
  const { timeoutMs } = hook;
  const limits = {
    connectMs: timeoutMs,
    firstByteMs: timeoutMs,
    silenceMs: timeoutMs,
    wholeMs: timeoutMs,
    responseBytes: HOOK_BODY_BYTES_MAX,
    chunkBytes: HOOK_BODY_BYTES_MAX,
  };
  const headers = {
    "content-type": "application/json",
    "user-agent": "Trunkline-Guardrails",
    ...signedHeaders([hook.secret], id, body, clock.now()),
  };
  try {
    const { url, mayDialPrivate } = hook;
    const response = await dialer.post({ url, mayDialPrivate, headers, body, limits }, signal);
    return await readDecision(response, question.texts);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DialFailure) return failed(error.message);
    throw error;
  }
}

async function readDecision(response: DialResponse, asked: readonly HookText[]): Promise<HookDecision> {
  const { status } = response;
  if (status === 204) {
    response.discardBody();
    return { action: "allow", annotations: {} };
  }
  if (status < 200 || status > 299) {
    response.discardBody();
    return failed(`answered ${status}`);
  }
  const pieces: Buffer[] = [];
  for await (const piece of response.body) pieces.push(piece);
  const json = parseJson(Buffer.concat(pieces).toString("utf8"), asked.length + VALUES_MAX);
  const parsed = decisionSchema.safeParse(json);
  if (!parsed.success) return failed("answered with something that is not a decision");
  const { action, reason, texts } = parsed.data;
  const annotations = parsed.data.annotations ?? {};
  if (action === "allow") return { action, annotations };
  if (action === "refuse") return { action, reason: reason ? toOneLine(reason) : undefined, annotations };
  if (texts?.length !== asked.length) return failed("answered with another number of texts than it was sent");
  const isBroken = texts.some(
    (text, at) => asked[at]?.type === "tool_call" && parseJson(text, JSON_VALUES_MAX) === undefined,
  );
  if (isBroken) return failed("answered with a tool call that is not JSON");
  return { action, texts, annotations };
}

/** A text without what could hide in a log or on a screen; undefined: nothing is left. */
function toOneLine(text: string): string | undefined {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim() || undefined;
}

/** undefined: it is no JSON, or says two things at once, or is too deep or too large to be parsed beside other requests. */
function parseJson(text: string, valuesMax: number): unknown {
  try {
    return parseStrictJson(text, valuesMax);
  } catch {
    return undefined;
  }
}

/** Why a request that was refused for it could not be judged. */
export function explainHookFailure(why: string): string {
  // What failed is the hook, unless the sentence says what did.
  const subject = /^(the|its) /.test(why) ? "" : "it ";
  return `the guardrail hook could not be asked: ${subject}${why}`;
}

function failed(why: string): HookDecision {
  return { action: "failed", why };
}
