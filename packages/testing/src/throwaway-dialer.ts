import { text } from "node:stream/consumers";
import type { DialFailureKind, DialLimits, DialRequest } from "@trunkline/providers/dialer/dial-request.ts";
import { createDialer, type Dialer, type DialerOptions } from "@trunkline/providers/dialer/dialer.ts";
import { expect, onTestFinished } from "vitest";

const PATIENT: DialLimits = {
  connectMs: 600_000,
  firstByteMs: 600_000,
  silenceMs: 600_000,
  wholeMs: 600_000,
  responseBytes: 1024 * 1024,
  chunkBytes: 1024,
};

/** A dialer that lives as long as one test. */
export function openForTest(surroundings: DialerOptions = {}): Dialer {
  const dialer = createDialer(surroundings);
  onTestFinished(() => dialer.close());
  return dialer;
}

/** An order with patient limits that may go anywhere, unless said otherwise. */
export function orderTo(url: string, limits: Partial<DialLimits> = {}, more: Partial<DialRequest> = {}): DialRequest {
  return { url, headers: {}, body: "{}", mayDialPrivate: true, limits: { ...PATIENT, ...limits }, ...more };
}

/** Makes a call without an abort and reads its whole answer. */
export async function readAll(dialer: Dialer, order: DialRequest): Promise<string> {
  const reply = await dialer.post(order, new AbortController().signal);
  return text(reply.body);
}

/** Expects a call to fail in this way. */
export async function expectFailure(call: Promise<unknown>, kind: DialFailureKind, message?: string): Promise<void> {
  const wanted = { name: "DialFailure", kind, ...(message === undefined ? {} : { message }) };
  await expect(call).rejects.toMatchObject(wanted);
}
