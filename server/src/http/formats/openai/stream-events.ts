export const EVENT_STREAM_TYPE = "text/event-stream; charset=utf-8";

/** One event of a stream, as OpenAI frames it. */
export function formatEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The last event of a stream that came to its end. */
export const STREAM_DONE = "data: [DONE]\n\n";
