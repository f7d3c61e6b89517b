import type { ServerResponse } from "node:http";
import { fullNameOf } from "@trunkline/core/model.ts";
import { toCredits } from "@trunkline/core/money.ts";
import type { MediaPart, Part, Receipt } from "@trunkline/core/parts.ts";
import type { RequestTrace } from "@trunkline/core/request-trace.ts";
import type { FastifyRequest } from "fastify";
import type { CollectedAnswer, StreamWriter } from "../endpoints/endpoint.ts";
import { toErrorResponse } from "../formats/dialect.ts";

/** A whole answer is the stream of its parts, collected. It is whole only with its receipt. */
export async function collectAnswer(
  stream: AsyncIterable<Part | Receipt>,
  requestTrace: RequestTrace,
  asked: unknown,
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
  return { parts, text, media, receipt, trace: requestTrace, requestBody: asked };
}

/** The models that made an answer one after the other, as `provider/name`; undefined where it was only one. */
export function answeringModels({ legs = [] }: Receipt): readonly string[] | undefined {
  // What failed the check of a cascade was never given to anyone.
  const heard = legs.filter(({ outcome }) => outcome !== "failed-check");
  const models = new Set(heard.map(({ model }) => fullNameOf(model)));
  return models.size > 1 ? [...models] : undefined;
}

/** The same as a field of its own, for the last piece of a stream in somebody else's format, which has no place for it. */
export function answeringModelsField(receipt: Receipt): {
  readonly trunkline?: { readonly models: readonly string[] };
} {
  const models = answeringModels(receipt);
  return models === undefined ? {} : { trunkline: { models } };
}

/** The vectors of an answer, in the order of what was asked. */
export function embeddingVectors(parts: readonly Part[]): (readonly number[])[] {
  return parts
    .flatMap((part) => (part.type === "embedding" ? [part] : []))
    .toSorted((one, other) => one.index - other.index)
    .map(({ vector }) => vector);
}

/** How the objects of a stream are told apart on the wire. */
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

/** The first part is pulled before a status line is written, so that a late refusal keeps its own status. */
export async function pullFirstPart<Item>(items: AsyncGenerator<Item>): Promise<AsyncGenerator<Item>> {
  const first = await items.next();
  return (async function* () {
    try {
      if (first.done === true) return;
      yield first.value;
      yield* items;
    } finally {
      // Where nobody reads past the first part, the source must hear of it all the same.
      await items.return(undefined);
    }
  })();
}

/** Writes the parts as they come. A slow client is waited for; a client that left ends the source. */
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

/** Our own stream: one object a line, or as events for those who ask for them. */
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
