import { isDeepStrictEqual } from "node:util";
import type { ProviderCall } from "@trunkline/core/adapter.ts";
import type { Part } from "@trunkline/core/parts.ts";
import { ProviderFailure } from "@trunkline/core/provider-failure.ts";
import type { WireFormat } from "@trunkline/providers/http/wire-format.ts";
import { expect } from "vitest";

/** An answer in a provider's format, as bytes. */
export interface WireAnswer {
  readonly format: WireFormat;
  readonly call: ProviderCall;
  readonly bytes: Buffer;
  readonly streaming: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parts of an answer that comes in these pieces: neighbouring texts merged, made-up ids all alike. */
export function readPieces({ format, call, streaming, headers = {} }: WireAnswer, pieces: readonly Buffer[]): Part[] {
  const answer = format.read(call, { headers, streaming });
  const parts: Part[] = [];
  for (const piece of pieces) {
    answer.push(piece, parts);
    if (answer.done) return merge(parts);
  }
  parts.push(...answer.end());
  return merge(parts);
}

/** In a long answer events repeat themselves, and a cut at every third byte meets each place of one. */
const LONG_BYTES = 1_500;
const LONG_STEP = 3;

/** Wherever the bytes are cut in two, and where each comes alone, the answer is the same. Returns its parts. */
export function expectSameForEveryCut(answer: WireAnswer): Part[] {
  const { bytes } = answer;
  const whole = readPieces(answer, [bytes]);
  const step = bytes.length < LONG_BYTES ? 1 : LONG_STEP;
  for (let at = 0; at <= bytes.length; at += step) {
    const parts = readPieces(answer, [bytes.subarray(0, at), bytes.subarray(at)]);
    // Thousands of times: the assertion, which is slow, is for those that differ.
    if (!isDeepStrictEqual(parts, whole)) expect(parts, `cut at byte ${at}`).toEqual(whole);
  }
  const alone = Array.from(bytes, (byte) => Buffer.of(byte));
  expect(readPieces(answer, alone), "byte by byte").toEqual(whole);
  return whole;
}

/**
 * Wherever an answer breaks off, it fails, unless all of it was there by then. A format in which the count comes after
 * the answer has said that it is over may lack the count.
 */
export function expectNeverShort(answer: WireAnswer, mayLackUsage = false): void {
  const { bytes } = answer;
  const read = (pieces: readonly Buffer[]) =>
    readPieces(answer, pieces).filter(({ type }) => !mayLackUsage || type !== "usage");
  const whole = read([bytes]);
  for (let at = 0; at < bytes.length; at += 1) {
    let parts: Part[];
    try {
      parts = read([bytes.subarray(0, at)]);
    } catch (error) {
      if (error instanceof ProviderFailure) continue;
      throw error;
    }
    if (!isDeepStrictEqual(parts, whole)) expect(parts, `broken off at byte ${at}`).toEqual(whole);
  }
}

function merge(parts: readonly Part[]): Part[] {
  const merged: Part[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.type === "text" && last?.type === "text" && last.choice === part.choice) {
      merged[merged.length - 1] = { ...last, text: last.text + part.text };
    } else if (
      part.type === "thinking" &&
      last?.type === "thinking" &&
      last.choice === part.choice &&
      last.signature === undefined
    ) {
      merged[merged.length - 1] = { ...last, ...part, text: last.text + part.text };
    } else if (part.type === "tool-call" && /^call_[0-9a-f]{32}$/.test(part.id)) {
      merged.push({ ...part, id: "made-up" });
    } else merged.push(part);
  }
  return merged;
}
