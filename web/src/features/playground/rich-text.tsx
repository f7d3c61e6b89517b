import { Fragment, lazy, type ReactNode, Suspense } from "react";
import { texts } from "../../texts/texts.ts";
import { OutsideLink } from "../../ui/outside-link.tsx";
import { CodeView } from "./code-view.tsx";
import { type MarkdownNode, parseMarkdown } from "./markdown.ts";

/** Formulas are rare, so what draws them is loaded with the first. */
const Formula = lazy(() => import("./formula.tsx").catch(() => ({ default: PlainFormula })));

/** Markdown as elements: nothing in it is ever taken for markup of the page. Loaded with the first answer. */
export default function RichText({ text }: { readonly text: string }) {
  return <Nodes nodes={parseMarkdown(text)} />;
}

function Nodes({ nodes }: { readonly nodes: readonly MarkdownNode[] }) {
  return nodes.map((node, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a node is its place in its text.
    <Fragment key={index}>{nodeView(node)}</Fragment>
  ));
}

const HEADING_SIZES: Readonly<Record<string, string>> = { h1: "text-xl", h2: "text-lg" };

function nodeView({ type, token, children }: MarkdownNode): ReactNode {
  const inside = <Nodes nodes={children} />;
  switch (type) {
    case "paragraph":
      return token.hidden ? inside : <p className="break-words">{inside}</p>;
    case "heading":
      // The page has headings of its own; those of an answer are no part of its outline.
      return <p className={`font-semibold ${HEADING_SIZES[token.tag] ?? ""}`}>{inside}</p>;
    case "bullet_list":
      return <ul className="grid list-disc gap-1 pl-6">{inside}</ul>;
    case "ordered_list":
      return (
        <ol start={Number(token.attrGet("start") ?? 1)} className="grid list-decimal gap-1 pl-6">
          {inside}
        </ol>
      );
    case "list_item":
      return (
        <li className="min-w-0">
          <div className="grid min-w-0 gap-1">
            <ItemParts nodes={children} />
          </div>
        </li>
      );
    case "blockquote":
      return <blockquote className="grid gap-2 border-l-2 border-line-strong pl-3 text-muted">{inside}</blockquote>;
    case "table":
      return (
        <div
          role="group"
          aria-label={texts.playground.table}
          tabIndex={0}
          className="max-w-full overflow-x-auto rounded-md border border-line"
        >
          <table className="w-full text-sm">{inside}</table>
        </div>
      );
    case "thead":
      return <thead className="bg-subtle">{inside}</thead>;
    case "tbody":
      return <tbody>{inside}</tbody>;
    case "tr":
      return <tr className="border-line [tbody_&]:border-t">{inside}</tr>;
    case "th":
      return <th className={`px-3 py-1.5 font-medium ${alignmentOf(token.attrGet("style"))}`}>{inside}</th>;
    case "td":
      return <td className={`px-3 py-1.5 ${alignmentOf(token.attrGet("style"))}`}>{inside}</td>;
    case "hr":
      return <hr className="border-line" />;
    case "fence":
    case "code_block":
      return <CodeView code={token.content} language={token.info.trim().split(/\s/)[0] ?? ""} />;
    case "code_inline":
      return <code className="rounded-sm bg-hover px-1 py-px text-[0.92em] wrap-anywhere">{token.content}</code>;
    case "strong":
      return <strong className="font-semibold">{inside}</strong>;
    case "em":
      return <em>{inside}</em>;
    case "s":
      return <s>{inside}</s>;
    case "link":
      return webLink(String(token.attrGet("href")), inside);
    case "image":
      // A picture from elsewhere would tell its server who reads the answer.
      return webLink(String(token.attrGet("src")), texts.playground.linkedImage(token.content));
    case "math_inline":
    case "math_block":
      return (
        <Suspense fallback={<PlainFormula tex={token.content} isBlock={type === "math_block"} />}>
          <Formula tex={token.content} isBlock={type === "math_block"} />
        </Suspense>
      );
    case "hardbreak":
    case "softbreak":
      return <br />;
    default:
      return children.length > 0 ? inside : token.content;
  }
}

/** What an item holds: lines of text stay together, and everything else stands below them. */
function ItemParts({ nodes }: { readonly nodes: readonly MarkdownNode[] }) {
  return nodes.map((node, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a node is its place in its item.
    <div key={index} className="min-w-0 break-words">
      {nodeView(node)}
    </div>
  ));
}

/** Only whole addresses lead anywhere: an answer must not link to pages of the dashboard. */
function webLink(href: string, children: ReactNode): ReactNode {
  return /^https?:\/\//i.test(href) ? <OutsideLink href={href}>{children}</OutsideLink> : children;
}

function alignmentOf(style: string | number | null): string {
  const alignment = /right|center/.exec(String(style))?.[0];
  return alignment === "right" ? "text-right" : alignment === "center" ? "text-center" : "text-left";
}

function PlainFormula({ tex }: { readonly tex: string; readonly isBlock: boolean }) {
  return <code className="text-[0.92em] wrap-anywhere">{tex}</code>;
}
