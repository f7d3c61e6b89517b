import type { IncomingHttpHeaders } from "node:http";

/**
 * Features of Anthropic's that change how it answers and not what it charges. One that could make a request cost more
 * than it was quoted, such as a longer context at another price, is not among them.
 */
const PASSED = new Set([
  "claude-code-20250219",
  "context-management-2025-06-27",
  "effort-2025-11-24",
  "extended-cache-ttl-2025-04-11",
  "fine-grained-tool-streaming-2025-05-14",
  "interleaved-thinking-2025-05-14",
  "max-tokens-3-5-sonnet-2024-07-15",
  "output-128k-2025-02-19",
  "pdfs-2024-09-25",
  "prompt-caching-2024-07-31",
  "prompt-caching-scope-2026-01-05",
  "structured-outputs-2025-11-13",
  "token-efficient-tools-2025-02-19",
]);

/** The features that a client asks for in `anthropic-beta` and that may be passed on. */
export function readBetas(headers: IncomingHttpHeaders, dropped: Set<string>): string[] {
  const header = headers["anthropic-beta"];
  const named = (Array.isArray(header) ? header.join(",") : (header ?? ""))
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const passed = new Set<string>();
  for (const name of named) {
    if (PASSED.has(name)) passed.add(name);
    else dropped.add(`anthropic-beta.${name}`);
  }
  return [...passed];
}
