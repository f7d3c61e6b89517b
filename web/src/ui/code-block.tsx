import { useState } from "react";
import { texts } from "../texts/texts.ts";
import { CopyButton } from "./copy-button.tsx";
import { cx } from "./cx.ts";
import { highlight, type Language, type TokenKind } from "./highlight.ts";

const COLOURS: Readonly<Record<TokenKind, string>> = {
  comment: "text-faint italic",
  string: "text-positive",
  number: "text-warning",
  keyword: "text-info",
  name: "text-accent-text",
};

export interface Sample {
  readonly label: string;
  readonly language: Language;
  readonly code: string;
}

export interface CodeBlockProps {
  /** What the code is, for those who don't see it. */
  readonly label: string;
  /** One sample, or the same in several languages. */
  readonly samples: readonly Sample[];
  /** Breaks long lines instead of scrolling. */
  readonly wrap?: boolean;
  readonly className?: string;
}

/** Code to read and to copy, with a tab for each language. */
export function CodeBlock({ label, samples, wrap = false, className }: CodeBlockProps) {
  const [chosen, setChosen] = useState(0);
  const sample = samples[chosen] ?? samples[0];
  if (sample === undefined) return null;
  return (
    <figure
      aria-label={label}
      className={cx("min-w-0 overflow-hidden rounded-lg border border-line bg-subtle", className)}
    >
      <figcaption className="flex items-center gap-1 border-b border-line py-1 pr-1 pl-1.5">
        <div className="flex min-w-0 grow gap-0.5 overflow-x-auto p-1">
          {samples.map((other, index) => (
            <button
              key={other.label}
              type="button"
              aria-pressed={other === sample}
              onClick={() => setChosen(index)}
              className="shrink-0 rounded-sm px-2 py-1 text-sm font-medium text-muted hover:text-text aria-pressed:bg-hover aria-pressed:text-text"
            >
              {other.label}
            </button>
          ))}
        </div>
        <CopyButton text={sample.code} label={texts.common.copyCode} iconOnly />
      </figcaption>
      <pre tabIndex={0} className="max-h-112 overflow-auto p-4 text-sm leading-relaxed focus-visible:-outline-offset-2">
        <code className={wrap ? "break-words whitespace-pre-wrap" : undefined}>
          {highlight(sample.code, sample.language).map((token, index) =>
            token.kind === undefined ? (
              token.text
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other key and are drawn again together.
              <span key={index} className={COLOURS[token.kind]}>
                {token.text}
              </span>
            ),
          )}
        </code>
      </pre>
    </figure>
  );
}
