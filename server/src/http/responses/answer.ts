import type { ServerResponse } from "node:http";
import { fullNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { MediaPart, Part, Receipt } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { FastifyRequest } from "fastify";
import type { CollectedAnswer, StreamWriter } from "../endpoints/endpoint.ts";
import { toErrorResponse } from "../formats/dialect.ts";

/** Collects the parts of an answer. An answer without a receipt is incomplete. */
export async function collectAnswer(
  stream: AsyncIterable<Part | Receipt>,
  requestTrace: RequestTrace,
  requestBody: unknown,
): Promise<CollectedAnswer> {
  const parts: Part[] = [];
  let text = "";
  let media: MediaPart | undefined;
  let receipt: Receipt | undefined;
  for await (const part of stream) {
    if (part.type === "receipt") {
      receipt = part;
      continue;
    }
    parts.push(part);
    if (part.type === "text" && (part.choice ?? 0) === 0) text += part.text;
    else if (part.type === "media") media ??= part;
  }
  if (receipt === undefined) throw new Error("An answer ended without a receipt.");
  return { parts, text, media, receipt, trace: requestTrace, requestBody };
}

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

/** Waits for the first part before a status line is written, so that a fault until then keeps its own status. */
export async function pullFirstPart<Item>(items: AsyncGenerator<Item>): Promise<AsyncGenerator<Item>> {
  const first = await items.next();
  return (async function* () {
    try {
      if (first.done === true) return;
      yield first.value;
      yield* items;
    } finally {
      // The source must also end when the consumer stops after the first part.
      await items.return(undefined);
    }
  })();
}

/** Writes the parts as they arrive. Waits for a slow client; stops when the client has disconnected. */
export async function streamParts(
  raw: ServerResponse,
  writer: StreamWriter,
  parts: AsyncIterable<Part | Receipt>,
): Promise<void> {
  for await (const part of parts) {
    const frame = writer.write(part);
    if (frame === "") continue;
    if (raw.destroyed) return;
    if (!raw.write(frame)) await untilDrained(raw);
  }
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
