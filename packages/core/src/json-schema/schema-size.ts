/** As JSON. */
const SCHEMA_BYTES_MAX = 64 * 1024;
/** Longer ones are slow to look up, and nobody's fields. */
export const NAME_LENGTH_MAX = 1_000;
/** As JSON: a schema within another is a level or two of it. */
const SCHEMA_LEVELS_MAX = 400;

/** Why a schema is too large to be read, in words; undefined: it is not. It is looked at no further than it may go. */
export function whyTooLarge(schema: unknown): string | undefined {
  return new SizeMeter().add(schema, 0);
}

class SizeMeter {
  #left = SCHEMA_BYTES_MAX;

  add(value: unknown, level: number): string | undefined {
    if (level > SCHEMA_LEVELS_MAX) return `is nested deeper than ${SCHEMA_LEVELS_MAX} levels as JSON`;
    if (Array.isArray(value))
      return this.#take(2 + Math.max(0, value.length - 1)) ?? this.#addList(value, level);
    if (typeof value === "object" && value !== null) return this.#take(1) ?? this.#addFields(value, level);
    return this.#take(bytesOf(value));
  }

  #addList(list: readonly unknown[], level: number): string | undefined {
    for (const item of list) {
      const oversize = this.add(item, level + 1);
      if (oversize !== undefined) return oversize;
    }
    return undefined;
  }

  #addFields(fields: object, level: number): string | undefined {
    for (const [name, value] of Object.entries(fields)) {
      if (name.length > NAME_LENGTH_MAX)
        return `has a name of more than ${NAME_LENGTH_MAX.toLocaleString("en")} characters`;
      const oversize = this.#take(bytesOf(name) + 2) ?? this.add(value, level + 1);
      if (oversize !== undefined) return oversize;
    }
    // Each field was counted with a comma behind it: the last one has the brace instead.
    return this.#take(Object.keys(fields).length === 0 ? 1 : 0);
  }

  #take(bytes: number): string | undefined {
    this.#left -= bytes;
    return this.#left < 0
      ? `may have at most ${SCHEMA_BYTES_MAX.toLocaleString("en")} bytes as JSON`
      : undefined;
  }
}

function bytesOf(value: unknown): number {
  // Written out, a text is no shorter than it is.
  if (typeof value === "string" && value.length > SCHEMA_BYTES_MAX) return value.length;
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}
