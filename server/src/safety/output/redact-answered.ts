import type { PrivateDatum } from "../private/private-datum.ts";
import { readText } from "../private/reading.ts";
import { redactOut } from "../private/redact-out.ts";
import { atOnce } from "../private/turns.ts";

interface Terms {
  /** The values in a text that are to be taken out, in order. */
  readonly valuesIn: (text: string) => readonly PrivateDatum[];
  /** Whether one stays all the same. */
  readonly stays: (value: string) => boolean;
}

interface Redacted {
  readonly text: string;
  /** What was taken out. */
  readonly kinds: readonly string[];
}

/** What a tool is called with, without the values in it. It stays JSON if it is; what is none is read as plain words. */
export function redactAnswered(json: string, { valuesIn, stays }: Terms): Redacted {
  const kinds: string[] = [];
  const text = atOnce(readText(valuesIn, json, "json")).write((passage) => {
    const leaving = passage.found.filter(({ start, end }) => !stays(passage.text.slice(start, end)));
    for (const { kind } of leaving) kinds.push(kind);
    return redactOut(passage.text, leaving);
  });
  return { text, kinds };
}
