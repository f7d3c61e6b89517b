import { anthropicDialect } from "../formats/anthropic/dialect.ts";
import { type Dialect, trunklineDialect } from "../formats/dialect.ts";
import { geminiDialect } from "../formats/gemini/dialect.ts";
import { mcpDialect } from "../formats/mcp/dialect.ts";
import { ollamaDialect } from "../formats/ollama/dialect.ts";
import { openAiDialect } from "../formats/openai/dialect.ts";
import { scimDialect } from "../formats/scim/dialect.ts";
import { DIRECT_ENDPOINTS } from "./direct-endpoints.ts";

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

/** The wire format of a URL, by its prefix. Undefined for pages. */
export function dialectForUrl(url: string): Dialect | undefined {
  return dialectOfPath.get(url) ?? findDialect(url);
}

function findDialect(url: string): Dialect | undefined {
  return ALL_DIALECTS.find(({ prefix }) => url.startsWith(prefix) && /^($|[/?])/.test(url.slice(prefix.length)));
}

/** Looked up for every answer. */
const dialectOfPath = new Map(DIRECT_ENDPOINTS.map(({ path }) => [path, findDialect(path)]));
