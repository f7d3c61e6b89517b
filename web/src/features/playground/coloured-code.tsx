import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { Fragment } from "react";
import { type CodePiece, piecesOf } from "./code-pieces.ts";

const LANGUAGES = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  kotlin,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};
for (const [name, definition] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, definition);

const COLOURS: Readonly<Record<string, string>> = {
  comment: "text-faint italic",
  quote: "text-faint italic",
  string: "text-positive",
  regexp: "text-positive",
  addition: "text-positive",
  number: "text-warning",
  literal: "text-warning",
  symbol: "text-warning",
  keyword: "text-info",
  built_in: "text-info",
  type: "text-info",
  meta: "text-info",
  title: "text-accent-text",
  attr: "text-accent-text",
  attribute: "text-accent-text",
  name: "text-accent-text",
  tag: "text-accent-text",
  section: "text-accent-text",
  deletion: "text-danger",
};

interface ColouredCodeProps {
  readonly code: string;
  readonly language: string;
}

/** Code with its colours; a language that is not known has none. */
export default function ColouredCode({ code, language }: ColouredCodeProps) {
  return piecesIn(code, language.toLowerCase()).map((piece, index) => {
    const colour = piece.scope === undefined ? undefined : COLOURS[piece.scope];
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place in its code.
      <Fragment key={index}>
        {colour === undefined ? piece.text : <span className={colour}>{piece.text}</span>}
      </Fragment>
    );
  });
}

function piecesIn(code: string, language: string): readonly CodePiece[] {
  if (highlighter.getLanguage(language) === undefined) return [{ scope: undefined, text: code }];
  return piecesOf(highlighter.highlight(code, { language, ignoreIllegals: true }).value);
}
