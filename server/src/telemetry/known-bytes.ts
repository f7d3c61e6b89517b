import { lengthField, stringAttribute, TAGS } from "./protobuf.ts";

const KNOWN_MAX = 1_000;
/** Longer texts are not kept. */
export const KNOWN_LENGTH_MAX = 64;

/** Texts that come again and again, such as names of models, with the bytes that they are written as. */
class KnownBytes {
  readonly #known = new Map<string, Uint8Array>();
  readonly #write: (text: string) => Uint8Array;

  constructor(write: (text: string) => Uint8Array) {
    this.#write = write;
  }

  of(text: string): Uint8Array {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const bytes = this.#write(text);
    if (text.length > KNOWN_LENGTH_MAX) return bytes;
    if (this.#known.size === KNOWN_MAX) this.#known.clear();
    this.#known.set(text, bytes);
    return bytes;
  }
}

/** What is the same of all values of an attribute. */
interface AttributeBytes {
  /** The name, and the tag of the value. */
  readonly name: Uint8Array;
  /** Whole attributes, by their texts. */
  readonly ofTexts: KnownBytes;
}

const attributes = new Map<string, AttributeBytes>();

export function attributeBytesOf(name: string): AttributeBytes {
  let known = attributes.get(name);
  if (known === undefined) {
    known = {
      name: Buffer.concat([lengthField(TAGS.key, name), Buffer.of(TAGS.value)]),
      ofTexts: new KnownBytes((text) => stringAttribute(TAGS.attributes, name, text)),
    };
    attributes.set(name, known);
  }
  return known;
}

const names = new KnownBytes((name) => lengthField(TAGS.name, name));

/** The name of a span, as a field of it. */
export function nameBytesOf(name: string): Uint8Array {
  return names.of(name);
}
