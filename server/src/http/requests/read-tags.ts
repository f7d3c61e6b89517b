import type { IncomingHttpHeaders } from "node:http";
import { replaceLoneSurrogates, truncateText } from "@trunkline/core/code-points.ts";
import type { Inference, Tags } from "@trunkline/core/inference.ts";
import { z } from "zod";
import { Field } from "./field-table.ts";
import { type Fields, invalidField, readObject, readString } from "./fields.ts";

export const TAGS_HEADER = "x-trunkline-tags";
/** The tag of the client's own word for its user. */
const USER_TAG = "user";
const TAGS_MAX = 16;
const NAME_LENGTH_MAX = 64;
const VALUE_LENGTH_MAX = 512;
const NAME = /^[\w.:-]{1,64}$/;
const NULS = /\0/g;

function readTags(value: unknown, param: string): Tags {
  const entries = Object.entries(readObject(value, param));
  if (entries.length > TAGS_MAX) throw invalidField(param, `\`${param}\` may hold at most ${TAGS_MAX} tags.`);
  return Object.fromEntries(
    entries.map(([name, text]) => {
      if (!NAME.test(name))
        throw invalidField(
          param,
          `The names in \`${param}\` may have 1 to 64 letters, digits, \`_\`, \`.\`, \`:\` and \`-\`.`,
        );
      return [name, storable(readString(text, `${param}.${name}`, 1, VALUE_LENGTH_MAX))];
    }),
  );
}

/** The field of a body of any format. */
export const tagsField = new Field(readTags, z.record(z.string(), z.string().min(1).max(VALUE_LENGTH_MAX)))
  .optional()
  .describe("The client's own tags, by which requests and usage can be found: up to 16 names with a text each.");

/** Tags in a header, for clients that can't add a field to the body: `team=search, feature=answers`. */
function readTagsHeader(header: string): Tags {
  const tags: Record<string, string> = {};
  for (const piece of header.split(",")) {
    if (piece.trim() === "") continue;
    const equals = piece.indexOf("=");
    const name = piece.slice(0, Math.max(0, equals)).trim();
    const value = piece.slice(equals + 1).trim();
    if (!NAME.test(name) || value === "")
      throw invalidField(TAGS_HEADER, `\`${TAGS_HEADER}\` must be like \`team=search, feature=answers\`.`);
    tags[name] = value;
  }
  return readTags(tags, TAGS_HEADER);
}

/**
 * The inference with all tags of its request: its own `tags`, what the format has for such words (`metadata`, `labels`,
 * `user`), and those of the header, in this order of precedence.
 */
export function withTags(inference: Inference, body: unknown, headers: IncomingHttpHeaders): Inference {
  const header = headers[TAGS_HEADER];
  const { metadata, labels, user } = body as Fields;
  if (header === undefined && metadata == null && labels == null && user == null) return inference;
  const tags: Record<string, string> = header === undefined ? {} : { ...readTagsHeader(String(header)) };
  addTexts(tags, labels);
  addTexts(tags, metadata);
  if (typeof user === "string" && user !== "") addTag(tags, USER_TAG, user);
  Object.assign(tags, inference.tags);
  const names = Object.keys(tags);
  if (names.length === 0) return inference;
  return { ...inference, tags: Object.fromEntries(names.slice(0, TAGS_MAX).map((name) => [name, tags[name] ?? ""])) };
}

/** The format has checked these fields, or ignores them: what can't be a tag is left out. */
function addTexts(tags: Record<string, string>, fields: unknown): void {
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return;
  for (const [name, text] of Object.entries(fields)) {
    if (typeof text !== "string" || text === "" || name === "" || name.length > NAME_LENGTH_MAX) continue;
    // Anthropic's name of the same.
    addTag(tags, name === "user_id" ? USER_TAG : name, text);
  }
}

function addTag(tags: Record<string, string>, name: string, text: string): void {
  tags[storable(name)] = storable(truncateText(text, VALUE_LENGTH_MAX));
}

/** The store's JSON takes neither of these. */
function storable(text: string): string {
  return replaceLoneSurrogates(text.replace(NULS, ""));
}
