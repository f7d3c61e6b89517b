import { createElement, Fragment, type ReactNode } from "react";
import temml from "temml";
import "temml/dist/Temml-Local.css";

interface FormulaProps {
  readonly tex: string;
  readonly isBlock: boolean;
}

/** A formula as MathML. What can't be read is shown as it was written. */
export default function Formula({ tex, isBlock }: FormulaProps) {
  const drawn = draw(tex, isBlock);
  if (drawn === undefined) return <code className="text-[0.92em] wrap-anywhere">{tex}</code>;
  return isBlock ? <span className="block max-w-full overflow-x-auto py-1">{drawn}</span> : drawn;
}

function draw(tex: string, isBlock: boolean): ReactNode {
  try {
    const settings = { displayMode: isBlock, throwOnError: true, trust: false, maxExpand: 200 };
    return elementOf(temml.__renderToMathMLTree(tex, { ...settings, maxSize: [20, 20] }));
  } catch {
    // Models write formulas that are none; the source is then all there is.
    return undefined;
  }
}

/** The elements of MathML that formulas are made of; anything else becomes the text inside it. */
const ELEMENTS =
  /^(?:math|semantics|mrow|mi|mn|mo|ms|mtext|mspace|mfrac|msqrt|mroot|msub|msup|msubsup|munder|mover|munderover|mmultiscripts|mprescripts|none|mtable|mtr|mtd|mstyle|mpadded|mphantom|menclose|merror)$/;
/** No addresses, no events: only how things look. */
const ATTRIBUTES =
  /^(?:display|displaystyle|scriptlevel|mathvariant|stretchy|fence|separator|symmetric|largeop|movablelimits|accent|accentunder|form|lspace|rspace|minsize|maxsize|width|height|depth|voffset|linethickness|columnalign|columnspan|rowspan|rowspacing|columnspacing|notation|mathcolor|mathbackground)$/;
const STYLES =
  /^(?:padding\w*|margin\w*|border\w*|textAlign|color|backgroundColor|mathDepth|mathStyle|fontWeight|fontStyle)$/;

/** A part of a formula, as the library builds it. */
interface FormulaNode {
  readonly type?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly classes?: readonly string[];
  readonly style?: Readonly<Record<string, unknown>>;
  readonly children?: readonly FormulaNode[];
}

function elementOf(node: FormulaNode): ReactNode {
  if (node.text !== undefined) return node.text;
  const children = (node.children ?? []).map(elementOf);
  if (node.type === undefined || !ELEMENTS.test(node.type)) return createElement(Fragment, {}, ...children);
  const classes = (node.classes ?? []).filter((name) => name !== "");
  const style = chosen(node.style, STYLES, camelCase);
  return createElement(
    node.type,
    {
      ...chosen(node.attributes, ATTRIBUTES),
      ...(classes.length === 0 ? {} : { className: classes.join(" ") }),
      ...(Object.keys(style).length === 0 ? {} : { style }),
    },
    ...children,
  );
}

function chosen(
  given: Readonly<Record<string, unknown>> = {},
  allowed: RegExp,
  nameOf = (name: string) => name,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given)
      .map(([name, value]) => [nameOf(name), String(value)] as const)
      .filter(([name]) => allowed.test(name)),
  );
}

function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
