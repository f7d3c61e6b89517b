export const EVENT_STREAM = "text/event-stream; charset=utf-8";

/** One event of a stream, as OpenAI frames it. */
export function frameEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The last event of a stream that came to its end. */
export const DONE = "data: [DONE]\n\n";
