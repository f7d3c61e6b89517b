import { anthropicDialect } from "../formats/anthropic/dialect.ts";
import { type Dialect, trunklineDialect } from "../formats/dialect.ts";
import { geminiDialect } from "../formats/gemini/dialect.ts";
import { mcpDialect } from "../formats/mcp/dialect.ts";
import { ollamaDialect } from "../formats/ollama/dialect.ts";
import { openAiDialect } from "../formats/openai/dialect.ts";
import { scimDialect } from "../formats/scim/dialect.ts";

/** Every wire format that clients can use. A path under none of their prefixes is a page, and needs no key. */
const ALL_DIALECTS: readonly Dialect[] = [
  trunklineDialect,
  openAiDialect,
  anthropicDialect,
  geminiDialect,
  ollamaDialect,
  mcpDialect,
  scimDialect,
];

/** The first addresses that were asked for: it is looked up for every answer. */
const found = new Map<string, Dialect | undefined>();
const FOUND_MAX = 500;

/** The wire format of a URL, by its prefix. Undefined for pages. */
export function dialectForUrl(url: string): Dialect | undefined {
  if (found.has(url)) return found.get(url);
  const dialect = ALL_DIALECTS.find(
    ({ prefix }) => url.startsWith(prefix) && /^($|[/?])/.test(url.slice(prefix.length)),
  );
  if (found.size < FOUND_MAX) found.set(url, dialect);
  return dialect;
}
