import type { DialRequest } from "../dialer/dial-order.ts";
import type { Dialer } from "../dialer/dialer.ts";

const BYTES_MAX = 4 * 1024 * 1024;

/** The JSON that an address answers with; undefined where it is none, comes too late, or is too long. Never throws. */
export async function getJson(
  dialer: Dialer,
  order: Pick<DialRequest, "url" | "headers" | "mayDialPrivate">,
  withinMs: number,
  signal: AbortSignal,
): Promise<unknown> {
  const limits = {
    connectMs: withinMs,
    firstByteMs: withinMs,
    silenceMs: withinMs,
    wholeMs: withinMs,
    responseBytes: BYTES_MAX,
    chunkBytes: BYTES_MAX,
  };
  try {
    const reply = await dialer.get({ ...order, limits }, signal);
    if (reply.status !== 200) {
      reply.discardBody();
      return undefined;
    }
    const pieces: Buffer[] = [];
    for await (const piece of reply.body) pieces.push(piece);
    return JSON.parse(Buffer.concat(pieces).toString("utf8"));
  } catch {
    // Whoever is not there, or is something else, is simply not found.
    return undefined;
  }
}
