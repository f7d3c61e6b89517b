/** A value that an answer must not hold. */
interface RedactableValue {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** What stands in an answer for a value that the model said of its own. Nothing brings the value back. */
export function redactionMarker(kind: string): string {
  return `[REDACTED_${kind.toUpperCase()}]`;
}

/** A text without the values that were found in it, which are in order and apart. */
export function redactText(text: string, found: readonly RedactableValue[]): string {
  let result = "";
  let done = 0;
  for (const { kind, start, end } of found) {
    result += text.slice(done, start) + redactionMarker(kind);
    done = end;
  }
  return result + text.slice(done);
}
