import { type ComponentType, lazy, Suspense } from "react";
import { texts } from "../../texts/texts.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { cx } from "../../ui/cx.ts";

/** Longer code is shown without colours. */
const COLOURED_LENGTH = 20_000;

const Coloured = lazy<ComponentType<CodeProps>>(() => import("./coloured-code.tsx").catch(() => ({ default: Plain })));

interface CodeProps {
  readonly code: string;
  readonly language: string;
}

interface CodeViewProps {
  readonly code: string;
  /** As the answer calls it; empty: it does not say. */
  readonly language: string;
  /** Goes on where the code before ended. */
  readonly isContinued?: boolean;
}

/** Code in an answer, with its colours and a button that copies it. */
export function CodeView({ code, language, isContinued = false }: CodeViewProps) {
  const isColoured = language !== "" && code.length <= COLOURED_LENGTH;
  return (
    <figure
      aria-label={texts.playground.codeIn(language)}
      className={cx(
        "min-w-0 overflow-hidden rounded-md border border-line bg-subtle",
        isContinued && "-mt-3 rounded-t-none border-t-0",
      )}
    >
      {!isContinued && (
        <figcaption className="flex items-center justify-between gap-2 border-b border-line py-0.5 pr-0.5 pl-3 text-sm text-muted">
          <span className="truncate font-mono">{language}</span>
          <CopyButton text={code} label={texts.common.copyCode} iconOnly />
        </figcaption>
      )}
      <pre tabIndex={0} className="overflow-x-auto p-3 text-sm focus-visible:-outline-offset-2">
        <code>
          {isColoured ? (
            <Suspense fallback={code}>
              <Coloured code={code} language={language} />
            </Suspense>
          ) : (
            code
          )}
        </code>
      </pre>
    </figure>
  );
}

function Plain({ code }: CodeProps) {
  return code;
}
