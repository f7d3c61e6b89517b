import { Fragment, memo } from "react";
import { OutsideLink } from "../../ui/outside-link.tsx";
import type { Block } from "./answer-feed.ts";
import { type Inline, inlinesOf, type Passage, passagesOf } from "./markdown.ts";

/** One block of an answer, built of elements: nothing in it is ever taken for markup of the page. */
export const BlockView = memo(function BlockView({ block }: { readonly block: Block }) {
  if (block.kind === "code") {
    return (
      <pre
        role="group"
        tabIndex={0}
        aria-label={block.language === "" ? "Code" : `Code in ${block.language}`}
        className={`min-w-0 overflow-x-auto rounded-md border border-line bg-subtle p-3 text-sm ${block.isContinued ? "-mt-3 rounded-t-none border-t-0" : ""}`}
      >
        <code>{block.text}</code>
      </pre>
    );
  }
  return (
    <div className="grid min-w-0 gap-2 [contain-intrinsic-size:auto_4rem] [content-visibility:auto]">
      {passagesOf(block.text).map((passage, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a passage is its place in its block.
        <PassageView key={index} passage={passage} />
      ))}
    </div>
  );
});

function PassageView({ passage }: { readonly passage: Passage }) {
  switch (passage.kind) {
    case "heading":
      return (
        <p className="font-semibold">
          <Line text={passage.text} />
        </p>
      );
    case "paragraph":
      return (
        <p className="break-words whitespace-pre-wrap">
          <Line text={passage.text} />
        </p>
      );
    case "quote":
      return (
        <blockquote className="border-l-2 border-line-strong pl-3 whitespace-pre-wrap text-muted">
          <Line text={passage.text} />
        </blockquote>
      );
    case "plain":
      return (
        <pre tabIndex={0} className="overflow-x-auto text-sm">
          {passage.text}
        </pre>
      );
    case "rule":
      return <hr className="border-line" />;
    case "list": {
      const items = passage.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place in its list.
        <li key={index} className="whitespace-pre-wrap">
          <Line text={item} />
        </li>
      ));
      return passage.isOrdered ? (
        <ol start={passage.start} className="list-decimal pl-6">
          {items}
        </ol>
      ) : (
        <ul className="list-disc pl-6">{items}</ul>
      );
    }
  }
}

function Line({ text }: { readonly text: string }) {
  return inlinesOf(text).map((inline, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a stretch is its place in its line.
    <Fragment key={index}>{inlineView(inline)}</Fragment>
  ));
}

function inlineView(inline: Inline) {
  switch (inline.kind) {
    case "code":
      return <code className="rounded-sm bg-hover px-1 py-px text-[0.92em]">{inline.text}</code>;
    case "strong":
      return <strong className="font-semibold">{inline.text}</strong>;
    case "emphasis":
      return <em>{inline.text}</em>;
    case "link":
      return <OutsideLink href={inline.href}>{inline.text}</OutsideLink>;
    case "text":
      return inline.text;
  }
}
