import { lazy, memo, Suspense } from "react";
import type { Block } from "./answer-feed.ts";
import { CodeView } from "./code-view.tsx";

/** What reads Markdown is loaded with the first answer; until then, and where it can't be loaded, the text is plain. */
const RichText = lazy(() => import("./rich-text.tsx").catch(() => ({ default: PlainText })));

/** One block of an answer, built of elements: nothing in it is ever taken for markup of the page. */
export const BlockView = memo(function BlockView({ block }: { readonly block: Block }) {
  if (block.kind === "code")
    return <CodeView code={block.text} language={block.language} isContinued={block.isContinued} />;
  return (
    <div className="grid min-w-0 gap-3 [contain-intrinsic-size:auto_4rem] [content-visibility:auto]">
      <Suspense fallback={<PlainText text={block.text} />}>
        <RichText text={block.text} />
      </Suspense>
    </div>
  );
});

function PlainText({ text }: { readonly text: string }) {
  return <p className="break-words whitespace-pre-wrap">{text}</p>;
}
