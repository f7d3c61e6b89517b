import type { ServerResponse } from "node:http";
import { fullNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { Part, Receipt } from "@trunkline/core/parts.ts";
import type { FastifyRequest } from "fastify";
import type { StreamWriter } from "../endpoints/endpoint.ts";
import { toErrorResponse } from "../formats/dialect.ts";

/** The models that produced an answer one after the other, as `provider/name`; undefined for a single model. */
export function answeringModels({ legs = [] }: Receipt): readonly string[] | undefined {
  // Output that failed a cascade's check was never delivered.
  const delivered = legs.filter(({ outcome }) => outcome !== "failed-check");
  const models = new Set(delivered.map(({ model }) => fullNameOf(model)));
  return models.size > 1 ? [...models] : undefined;
}

/** `answeringModels` as an extra field for the last event of a stream in a format that has no field for it. */
export function answeringModelsField(receipt: Receipt): {
  readonly trunkline?: { readonly models: readonly string[] };
} {
  const models = answeringModels(receipt);
  return models === undefined ? {} : { trunkline: { models } };
}

/** The vectors of an answer, in the order of the inputs. */
export function embeddingVectors(parts: readonly Part[]): (readonly number[])[] {
  return parts
    .flatMap((part) => (part.type === "embedding" ? [part] : []))
    .toSorted((one, other) => one.index - other.index)
    .map(({ vector }) => vector);
}

/** How the objects of a stream are separated. */
interface Framing {
  readonly contentType: string;
  frame(value: unknown): string;
}

const NDJSON: Framing = {
  contentType: "application/x-ndjson",
  frame: (value) => `${JSON.stringify(value)}\n`,
};
const SSE: Framing = {
  contentType: "text/event-stream",
  frame: (value) => `data: ${JSON.stringify(value)}\n\n`,
};

/** Writes a piece of a stream. Returns a promise where the client reads more slowly than it is written. */
export function writeFrame(raw: ServerResponse, frame: string): void | Promise<void> {
  if (frame !== "" && !raw.write(frame)) return untilDrained(raw);
}

/** Trunkline's own stream: one JSON object per line, or server-sent events where the client accepts them. */
export function nativeStream(request: FastifyRequest): StreamWriter {
  const framing = /\btext\/event-stream\b/i.test(request.headers.accept ?? "") ? SSE : NDJSON;
  return {
    contentType: framing.contentType,
    write(part) {
      const object = toStreamObject(part);
      return object === undefined ? "" : framing.frame(object);
    },
    fail: (fault, requestId) => framing.frame({ ...toErrorResponse(fault, requestId), done: true }),
  };
}

function toStreamObject(part: Part | Receipt): unknown {
  switch (part.type) {
    case "text":
      return { delta: part.text };
    case "media":
      return { delta: part.url };
    case "receipt":
      return {
        done: true,
        model: fullNameOf(part.model),
        models: answeringModels(part),
        usage: { input_tokens: part.inputTokens, output_tokens: part.outputTokens },
        cost: toCredits(part.cost),
      };
    default:
      return undefined;
  }
}

function untilDrained(raw: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      raw.off("drain", done).off("close", done);
      resolve();
    };
    raw.on("drain", done).on("close", done);
  });
}
