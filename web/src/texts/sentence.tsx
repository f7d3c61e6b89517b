import { Fragment, type ReactNode } from "react";

export interface SentenceProps {
  /** A text with places in braces: "Read {link} first." */
  readonly text: string;
  /** What stands in each place. */
  readonly parts: Readonly<Record<string, ReactNode>>;
}

/** A sentence with links, code or figures in it, whose order is the language's own. */
export function Sentence({ text, parts }: SentenceProps) {
  return text.split(/\{(\w+)\}/).map((piece, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text never change places
    <Fragment key={place}>{place % 2 === 0 ? piece : (parts[piece] ?? `{${piece}}`)}</Fragment>
  ));
}
