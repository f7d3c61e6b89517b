/** The lines of a stream of bytes, without the empty ones. Leaving early cancels the stream. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let isOver = false;
  try {
    while (!isOver) {
      const { done, value } = await reader.read();
      isOver = done;
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = done ? "" : (lines.pop() ?? "");
      for (const line of lines) if (line.trim() !== "") yield line;
    }
  } finally {
    // Where the reader was done or failed, there is nothing left to cancel.
    if (!isOver) await reader.cancel().catch(() => undefined);
  }
}
