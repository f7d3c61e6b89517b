import { DOCUMENT_SAMPLES } from "@trunkline/testing/document-samples.ts";
import { ALL_ENDPOINTS } from "../../src/http/server/endpoint-registry.ts";
import { BatchTrial } from "./batch-trial.ts";
import { INFERENCE_SAMPLES } from "./inference-samples.ts";
import type { StartedService } from "./started-service.ts";

/** Whose words are the unsafe ones. */
export type Place = "user" | "document" | "answer";
export type Way = "whole" | "streamed";

/** A way into the service by which a model is asked. */
export interface SafetyRoute {
  readonly path: string;
  /** What can be tried of it. */
  readonly cells: readonly (readonly [Place, Way])[];
  /** Asks with these words at that place; the other words are harmless. */
  ask(service: StartedService, key: string, place: Place, way: Way, words: string): Promise<void>;
}

const HARMLESS = "Good morning";

async function post(service: StartedService, path: string, key: string, body: object | FormData) {
  const isForm = body instanceof FormData;
  const response = await fetch(service.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      accept: "application/json, text/event-stream",
      ...(isForm ? {} : { "content-type": "application/json" }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
  await response.text();
}

/** Every endpoint that is paid for. */
function inferenceRoutes(): SafetyRoute[] {
  return ALL_ENDPOINTS.flatMap((endpoint): SafetyRoute[] => {
    if (endpoint.kind !== "inference") return [];
    const { path } = endpoint;
    const sample = INFERENCE_SAMPLES[path];
    const withDocument = DOCUMENT_SAMPLES[path];
    if (sample === undefined) throw new Error(`There is no sample for ${path}.`);
    const ways: Way[] = [
      ...(endpoint.whole === undefined ? [] : ["whole" as const]),
      ...(endpoint.stream === undefined ? [] : ["streamed" as const]),
    ];
    const places: Place[] = [
      "user",
      ...(withDocument === undefined ? [] : ["document" as const]),
      ...(sample.givesWords ? ["answer" as const] : []),
    ];
    return [
      {
        path,
        cells: places.flatMap((place) => ways.map((way) => [place, way] as const)),
        ask: (service, key, place, way, words) => {
          const { model } = sample;
          const said = place === "user" ? words : HARMLESS;
          const isBoth = ways.length === 2;
          const plain =
            place === "document" && withDocument !== undefined
              ? withDocument(model, words)
              : way === "streamed" && isBoth && sample.streamed !== undefined
                ? sample.streamed(model, said)
                : sample.body(model, said);
          const body =
            way === "streamed" && isBoth && !(plain instanceof FormData) ? { ...plain, stream: true } : plain;
          return post(service, sample.path?.(model) ?? path, key, body);
        },
      },
    ];
  });
}

/** A tool of our own server for agents. */
const mcp: SafetyRoute = {
  path: "/mcp",
  cells: [
    ["user", "whole"],
    ["document", "whole"],
    ["answer", "whole"],
  ],
  ask: (service, key, place, _way, words) => {
    const model = "every-talker";
    const asked =
      place === "document"
        ? DOCUMENT_SAMPLES["/mcp"]?.(model, words)
        : { model, input: place === "user" ? words : HARMLESS };
    const params = { name: "generate", arguments: asked };
    return post(service, "/mcp", key, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
  },
};

function batchedBody(target: string, place: string, words: string): object | undefined {
  if (place === "document") return DOCUMENT_SAMPLES[target]?.("every-talker", words);
  return INFERENCE_SAMPLES[target]?.body("every-talker", place === "user" ? words : HARMLESS);
}

/** Batches in Anthropic's form, whose requests are in the body. */
const messageBatches: SafetyRoute = {
  path: "/anthropic/v1/messages/batches",
  cells: [
    ["user", "whole"],
    ["document", "whole"],
    ["answer", "whole"],
  ],
  async ask(service, key, place, _way, words) {
    const trial = new BatchTrial(service, key);
    const params = batchedBody("/anthropic/v1/messages", place, words);
    const { json } = await trial.call("POST", messageBatches.path, { requests: [{ custom_id: "one", params }] });
    await trial.until(json.id.replace("msgbatch_", "batch_"), "completed", "failed");
  },
};

/** Lines of a batch go where anybody else's requests go. */
const batches = (path: string, target: string): SafetyRoute => ({
  path,
  cells: [
    ["user", "whole"],
    ["document", "whole"],
    ["answer", "whole"],
  ],
  async ask(service, key, place, _way, words) {
    const body = batchedBody(target, place, words);
    const trial = new BatchTrial(service, key);
    const line = JSON.stringify({ custom_id: "one", method: "POST", url: target, body });
    const file = await trial.upload(line);
    const { json } = await trial.call("POST", path, {
      input_file_id: file.json.id,
      endpoint: target,
      completion_window: "24h",
    });
    await trial.until(json.id, "completed", "failed");
  },
});

/** All ways by which a model is asked. */
export const SAFETY_ROUTES: readonly SafetyRoute[] = [
  ...inferenceRoutes(),
  mcp,
  batches("/v1/batches", "/v1/generate"),
  batches("/openai/v1/batches", "/openai/v1/chat/completions"),
  messageBatches,
];
