import { Fault } from "@trunkline/core/fault.ts";
import { z } from "zod";
import { REALTIME_PATH } from "../../../pipeline/realtime/metered-response.ts";
import { controlEndpoint } from "../../endpoints/endpoint.ts";
import { openAiDialect } from "./dialect.ts";

/** Requests for a WebSocket are served by `RealtimeServer`; this describes them, and answers plain requests. */
export const realtimeEndpoint = controlEndpoint({
  method: "GET",
  path: REALTIME_PATH,
  dialect: openAiDialect,
  permission: "inference.use",
  status: 101,
  tag: "OpenAI",
  summary: "Talk with a model in realtime, over a WebSocket",
  description:
    "Events of OpenAI's realtime protocol go both ways, as text. Each response is a request on record with a charge of its own, which `response.done` has in `usage.cost`. Browsers send the key as the protocol `openai-insecure-api-key.<key>`, beside `realtime`.",
  faults: [
    "invalid_request",
    "insufficient_balance",
    "budget_exceeded",
    "model_not_found",
    "overloaded",
    "no_model_available",
    "provider_error",
    "provider_timeout",
  ],
  query: z.object({ model: z.string().optional().describe("A realtime model. It must be named.") }),
  response: z.unknown(),
  async handle() {
    throw new Fault("invalid_request", "Open a WebSocket at this address: `Upgrade: websocket`.");
  },
});
