import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf } from "@trunkline/sdk";
import { api } from "../../api/client.ts";

export type GuardrailHook = AnswerOf<"GET /v1/guardrail-hooks">["data"][number];
export type LogSink = AnswerOf<"GET /v1/log-sinks">["data"][number];

export const guardrailHooksQuery = queryOptions({
  queryKey: ["guardrail-hooks"],
  queryFn: ({ signal }) => api.call("GET /v1/guardrail-hooks", { signal, query: { limit: 100 } }),
});

export const logSinksQuery = queryOptions({
  queryKey: ["log-sinks"],
  queryFn: ({ signal }) => api.call("GET /v1/log-sinks", { signal, query: { limit: 100 } }),
});
