import { ApiError, type ChatChunk } from "@trunkline/sdk";
import { api } from "../../api/client.ts";
import { texts } from "../../texts/texts.ts";
import type { SentRequest } from "./chat-request.ts";
import type { Reply, ReplyError, ToolCall } from "./conversation.ts";
import type { LiveReply } from "./live-reply.ts";
import { mediaKindOf } from "./media-kind.ts";

/** Sends a request and gives what became of it, whether it was answered, stopped or refused. Until then, `live` has what came. */
export async function fetchReply(request: SentRequest, signal: AbortSignal, live: LiveReply): Promise<Reply> {
  const startedMs = performance.now();
  let known: Partial<Reply> = {};
  const note = (news: Partial<Reply>) => {
    known = { ...known, ...news };
  };
  const finish = (status: Reply["status"], error?: ReplyError): Reply => ({
    ...known,
    status,
    text: live.feed.whole(),
    calls: live.calls,
    ...(live.thinking === "" ? {} : { thinking: live.thinking }),
    totalMs: performance.now() - startedMs,
    ...(error === undefined ? {} : { error }),
  });
  try {
    if (request.path === "/v1/chat/completions") await streamChat(request.body, signal, live, note, startedMs);
    else await makeMedia(request, signal, note);
    return finish("done");
  } catch (error) {
    if (signal.aborted) return finish("stopped");
    if (error instanceof ApiError && error.requestId !== undefined) note({ requestId: error.requestId });
    return finish("failed", replyErrorOf(error));
  }
}

type Note = (news: Partial<Reply>) => void;
type ChatRequest = Extract<SentRequest, { readonly path: "/v1/chat/completions" }>["body"];

async function streamChat(body: ChatRequest, signal: AbortSignal, live: LiveReply, note: Note, startedMs: number) {
  const onRequestId = (requestId: string) => note({ requestId });
  let hasBegun = false;
  for await (const chunk of api.streamChat(body, { signal, onRequestId })) {
    const delta = chunk.choices[0]?.delta;
    const hasNews = delta !== undefined && takeDelta(live, delta);
    if (hasNews && !hasBegun) note({ firstMs: performance.now() - startedMs });
    hasBegun ||= hasNews;
    if (chunk.usage != null) noteUsage(chunk, note);
    live.tell();
  }
}

/** Whether it has anything that a reader would see. */
function takeDelta(live: LiveReply, delta: ChatChunk["choices"][number]["delta"]): boolean {
  const { content = "", reasoning_content: thinking = "", tool_calls: calls = [] } = delta;
  if (content !== "") live.feed.push(content);
  live.thinking += thinking;
  live.calls = [...live.calls, ...calls.flatMap((call) => callOf(call) ?? [])];
  return content !== "" || thinking !== "" || calls.length > 0;
}

type CallChunk = NonNullable<ChatChunk["choices"][number]["delta"]["tool_calls"]>[number];

function callOf(call: CallChunk): ToolCall | undefined {
  if (call.type !== "function") return undefined;
  const signature = call.extra_content?.google.thought_signature;
  return {
    id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
    ...(signature === undefined ? {} : { signature }),
  };
}

function noteUsage(chunk: ChatChunk, note: Note): void {
  const { usage, model } = chunk;
  if (usage == null) return;
  note({
    model,
    ...answeringModels(chunk),
    cost: usage.cost,
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
  });
}

/** All that spoke, where one broke off and another went on. */
function answeringModels(chunk: ChatChunk): Pick<Reply, "models"> {
  const { trunkline } = chunk as { readonly trunkline?: { readonly models?: readonly string[] } };
  return trunkline?.models === undefined ? {} : { models: trunkline.models };
}

async function makeMedia(
  request: Exclude<SentRequest, { readonly path: "/v1/chat/completions" }>,
  signal: AbortSignal,
  note: Note,
) {
  const onRequestId = (requestId: string) => note({ requestId });
  if (request.path === "/v1/image") {
    const made = await api.call("POST /v1/image", { body: request.body, signal, onRequestId });
    note({ model: made.model, cost: made.cost });
    note({ mediaUrl: requireMedia(made.image_url, "image") });
    return;
  }
  const made = await api.call("POST /v1/audio", { body: request.body, signal, onRequestId });
  note({ model: made.model, cost: made.cost });
  note({ mediaUrl: requireMedia(made.audio_url, "audio") });
}

/** What is neither inside the answer nor at an address of the web can't be shown: the model did not do its work. */
function requireMedia(url: string, kind: "image" | "audio"): string {
  if (mediaKindOf(url) === kind || /^https:\/\//i.test(url)) return url;
  const message = kind === "image" ? texts.playground.noImage : texts.playground.noAudio;
  throw new ApiError(message, { status: 200, type: kind === "image" ? "no_image" : "no_audio" });
}

function replyErrorOf(error: unknown): ReplyError {
  if (!(error instanceof ApiError)) return { type: "unexpected", message: texts.common.unexpected };
  return {
    type: error.type,
    message: error.message,
    ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
    ...detailsOf(error.body),
  };
}

/** The details of an error besides its message. They are checked: a proxy may have written them. */
export function detailsOf(body: unknown): Pick<ReplyError, "categories" | "attempts" | "cost"> {
  const error = recordOf(recordOf(body)?.error);
  const categories = Array.isArray(error?.categories) ? error.categories.map(String) : [];
  const attempts = (Array.isArray(error?.attempts) ? error.attempts : []).flatMap((attempt: unknown) => {
    const { model, reason, ms } = recordOf(attempt) ?? {};
    return typeof model === "string" && typeof reason === "string" ? [{ model, reason, ms: Number(ms) || 0 }] : [];
  });
  return {
    ...(categories.length === 0 ? {} : { categories }),
    ...(attempts.length === 0 ? {} : { attempts }),
    ...(typeof error?.cost === "number" ? { cost: error.cost } : {}),
  };
}

function recordOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}
