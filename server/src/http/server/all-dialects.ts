import { anthropicDialect } from "../formats/anthropic/dialect.ts";
import { type Dialect, trunklineDialect } from "../formats/dialect.ts";
import { geminiDialect } from "../formats/gemini/dialect.ts";
import { mcpDialect } from "../formats/mcp/dialect.ts";
import { openAiDialect } from "../formats/openai/dialect.ts";

/** Every wire format that clients speak here. What is under none of their prefixes is a page, and needs no key. */
export const ALL_DIALECTS: readonly Dialect[] = [
  trunklineDialect,
  openAiDialect,
  anthropicDialect,
  geminiDialect,
  mcpDialect,
];

/** The wire format that an address belongs to; undefined: to none, as a page. */
export function dialectForUrl(url: string): Dialect | undefined {
  return ALL_DIALECTS.find(
    ({ prefix }) => url.startsWith(prefix) && /^($|[/?])/.test(url.slice(prefix.length)),
  );
}
