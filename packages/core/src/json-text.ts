/** All but what JSON writes as it is: quotes, backslashes, control characters, and halves of surrogate pairs. */
const MAY_BE_ESCAPED = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** What `JSON.stringify` writes of a string. Few need more than quotes, and those are found several times as fast. */
export function quoteJson(text: string): string {
  return MAY_BE_ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/**
 * JSON that is written piece by piece, byte for byte as `JSON.stringify` writes it, and its length in bytes. A string
 * without anything to escape, as most are, is taken as it is: `JSON.stringify` copies it several times, and so does counting
 * the bytes of all of it afterwards.
 */
export class JsonText {
  text = "";
  bytes = 0;

  /** Adds JSON that is ASCII for sure. */
  addAscii(json: string): void {
    this.text += json;
    this.bytes += json.length;
  }

  /** Adds any JSON. */
  add(json: string): void {
    this.text += json;
    this.bytes += Buffer.byteLength(json);
  }

  /** Adds a string between two pieces of ASCII that end and begin with its quotes. */
  addString(before: string, value: string, after: string): void {
    const written = MAY_BE_ESCAPED.test(value) ? JSON.stringify(value).slice(1, -1) : value;
    this.text += before + written + after;
    this.bytes += before.length + Buffer.byteLength(written) + after.length;
  }
}
