import { ConnectionError, errorOfBody, isRecord } from "./api-error.ts";

/** The objects of a streamed answer: one a line, or one an event. An error among them, or a missing end, is thrown. */
export async function* readStream(response: Response, onBytes: () => void): AsyncGenerator<unknown> {
  const requestId = response.headers.get("x-request-id") ?? undefined;
  const hasEvents = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  let isDone = false;
  if (response.body !== null) {
    for await (const line of readLines(response.body, onBytes)) {
      // Of an event only its data counts here: every object says itself what it is.
      const text = hasEvents ? /^data: ?(.*)$/.exec(line)?.[1] : line;
      if (text === undefined || text.trim() === "") continue;
      if (text === "[DONE]") {
        isDone = true;
        continue;
      }
      const part = parsePart(text, requestId);
      if (isRecord(part) && isRecord(part.error)) throw errorOfBody(part, { status: response.status, requestId });
      if (isRecord(part) && part.done === true) isDone = true;
      yield part;
    }
  }
  if (!isDone) throw brokenOff(requestId);
}

function parsePart(text: string, requestId: string | undefined): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw brokenOff(requestId, cause);
  }
}

function brokenOff(requestId: string | undefined, cause?: unknown): ConnectionError {
  return new ConnectionError(
    "The answer broke off before its end.",
    { status: 0, type: "cut_off", requestId },
    { cause },
  );
}

/** The lines of a stream of bytes. Leaving early cancels the stream. */
async function* readLines(body: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let isOver = false;
  try {
    while (!isOver) {
      const { done, value } = await reader.read();
      onBytes();
      isOver = done;
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split(/\r?\n/);
      rest = done ? "" : (lines.pop() ?? "");
      yield* lines;
    }
  } finally {
    // Where the reader was done or failed, there is nothing left to cancel.
    if (!isOver) await reader.cancel().catch(() => undefined);
  }
}
