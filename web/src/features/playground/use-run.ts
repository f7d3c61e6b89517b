import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { balanceQuery } from "../../api/balance.ts";
import { api } from "../../api/client.ts";
import { AnswerFeed } from "./answer-feed.ts";
import type { SentRequest } from "./settings.ts";

/** One request and what became of it. */
export interface Run {
  readonly request: SentRequest;
  readonly status: "running" | "done" | "stopped" | "failed";
  readonly feed: AnswerFeed;
  /** Of a picture or of speech. */
  readonly mediaUrl?: string;
  /** `provider/name` */
  readonly model?: string;
  /** All that spoke, where it was more than one. */
  readonly models?: readonly string[];
  readonly cost?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly requestId?: string;
  /** From the click to the first piece of text, and to the end. */
  readonly firstMs?: number;
  readonly totalMs?: number;
  readonly error?: unknown;
}

/** A request that may run, and how to send and stop one. Leaving the page stops it. */
export function useRun() {
  const client = useQueryClient();
  const [run, setRun] = useState<Run>();
  const controller = useRef<AbortController>(undefined);

  const stop = useCallback(() => controller.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const start = useCallback(
    async (request: SentRequest) => {
      controller.current?.abort();
      const own = new AbortController();
      controller.current = own;
      let current: Run = { request, status: "running", feed: new AnswerFeed() };
      const tell = (changes: Partial<Run>) => {
        current = { ...current, ...changes };
        // A run that a newer one stopped must not change anything.
        if (controller.current === own) setRun(current);
      };
      tell({});
      const startedMs = performance.now();
      const sinceStart = () => performance.now() - startedMs;
      try {
        await answer(request, own.signal, current.feed, tell, sinceStart);
        tell({ status: "done", totalMs: sinceStart() });
      } catch (error) {
        const isStopped = own.signal.aborted;
        tell({
          status: isStopped ? "stopped" : "failed",
          totalMs: sinceStart(),
          ...(isStopped ? {} : { error }),
        });
      }
      await client.invalidateQueries({ queryKey: balanceQuery.queryKey });
    },
    [client],
  );

  return { run, start, stop };
}

type Tell = (changes: Partial<Run>) => void;

async function answer(
  request: SentRequest,
  signal: AbortSignal,
  feed: AnswerFeed,
  tell: Tell,
  sinceStart: () => number,
): Promise<void> {
  const onRequestId = (requestId: string) => tell({ requestId });
  if (request.path === "/v1/image") {
    const { body } = request;
    const made = await api.call("POST /v1/image", { body, signal, onRequestId });
    tell({ mediaUrl: made.image_url, model: made.model, cost: made.cost });
    return;
  }
  if (request.path === "/v1/audio") {
    const { body } = request;
    const made = await api.call("POST /v1/audio", { body, signal, onRequestId });
    tell({ mediaUrl: made.audio_url, model: made.model, cost: made.cost });
    return;
  }
  let hasText = false;
  let frame = 0;
  try {
    for await (const part of api.stream("POST /v1/stream", { body: request.body, signal, onRequestId })) {
      if ("delta" in part) {
        feed.push(part.delta);
        if (!hasText) tell({ firstMs: sinceStart() });
        hasText = true;
        // However fast it comes, it is drawn once a frame.
        frame ||= requestAnimationFrame(() => {
          frame = 0;
          tell({});
        });
      } else {
        const { input_tokens: inputTokens, output_tokens: outputTokens } = part.usage;
        const spoke = part.models === undefined ? {} : { models: part.models };
        tell({ model: part.model, ...spoke, cost: part.cost, inputTokens, outputTokens });
      }
    }
  } finally {
    cancelAnimationFrame(frame);
  }
}
