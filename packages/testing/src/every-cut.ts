import { isDeepStrictEqual } from "node:util";
import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { Part } from "@trunkline/core/parts.ts";
import type { WireFormat } from "@trunkline/providers/http/wire-format.ts";
import { expect } from "vitest";
import { makeInference, makeModel } from "./throwaway-call.ts";

/** A call whose answer is read, with what a test changes about it. */
export function someCall(change: Partial<ProviderCall> = {}): ProviderCall {
  return {
    model: makeModel(),
    inference: makeInference(),
    requestId: "r1",
    signal: new AbortController().signal,
    ...change,
  };
}

/** The parts of an answer that comes in these pieces and then ends. Neighbouring texts, and neighbouring thoughts, are one. */
export function readPieces(
  format: WireFormat,
  pieces: readonly Buffer[],
  streaming = true,
  call: ProviderCall = someCall(),
): Part[] {
  const reader = format.read(call, { headers: {}, streaming });
  const parts: Part[] = [];
  for (const piece of pieces) {
    reader.push(piece, parts);
    if (reader.done) return merged(parts);
  }
  return merged([...parts, ...reader.end()]);
}

/** What came before a stream failed, and the failure; undefined where it did not fail. */
export function readUntilFailure(
  format: WireFormat,
  bytes: Buffer,
): { readonly parts: Part[]; readonly failure: unknown } {
  const reader = format.read(someCall(), { headers: {}, streaming: true });
  const parts: Part[] = [];
  try {
    reader.push(bytes, parts);
    if (!reader.done) parts.push(...reader.end());
  } catch (failure) {
    return { parts: merged(parts), failure };
  }
  return { parts: merged(parts), failure: undefined };
}

/** Wherever an answer is cut, its parts are these. */
export function expectForEveryCut(bytes: Buffer, read: (pieces: readonly Buffer[]) => Part[], whole: readonly Part[]) {
  for (const pieces of everyCut(bytes)) {
    const parts = read(pieces);
    // Thousands of times: the assertion, which is slow, is for those that differ.
    if (!isDeepStrictEqual(parts, whole)) expect(parts, `cut after ${pieces[0]?.length} bytes`).toEqual(whole);
  }
}

/** An answer cut in two at every place between two bytes, and into single bytes. */
function* everyCut(bytes: Buffer): Generator<Buffer[]> {
  for (let at = 0; at <= bytes.length; at += 1) yield [bytes.subarray(0, at), bytes.subarray(at)];
  yield Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1));
}

function merged(parts: readonly Part[]): Part[] {
  const whole: Part[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (part.type === "text" && last?.type === "text") {
      whole[whole.length - 1] = { ...last, text: last.text + part.text };
    } else if (part.type === "thinking" && last?.type === "thinking" && !isSealed(last) && !isSealed(part)) {
      whole[whole.length - 1] = { ...last, ...part, text: last.text + part.text };
    } else {
      whole.push(part);
    }
  }
  return whole;
}

function isSealed(part: Part): boolean {
  return part.type === "thinking" && (part.sealed !== undefined || (part.signature !== undefined && part.text !== ""));
}
