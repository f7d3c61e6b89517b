import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { LANGUAGES, type Language, languageFor } from "./choose-language.ts";
import type { Texts } from "./en/index.ts";
import { english } from "./en/index.ts";
import { plural } from "./plural.ts";
import { textsOf } from "./texts.ts";

const SOURCES = new URL("../", import.meta.url).pathname;

/** Files of code that is shown, and of names of browsers and systems, which are the same in every language. */
const SAME = [
  "api/code-samples.ts",
  "api/model-code.ts",
  "api/request-code.ts",
  "api/sdk-code.ts",
  "features/settings/describe-agent.ts",
];

/** Attributes and properties whose value a person reads. */
const READ =
  /^(?:label|title|description|hint|placeholder|searchPlaceholder|emptyText|alt|header|heading|confirmLabel|text|words|message|summary|caption|note|per|noun|name|aria-label|aria-description|aria-roledescription|aria-valuetext|unit|suffix|prefix)$/;

describe("the sources of the dashboard", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && !file.startsWith("texts/"),
  );

  it("have no text that a person reads: all of them are in texts/", () => {
    const found = files
      .filter((file) => !SAME.includes(file))
      .flatMap((file) => textsIn(file, readFileSync(join(SOURCES, file), "utf8")));
    expect(found).toEqual([]);
  });

  it("are searched for all kinds of texts", () => {
    const source = `
      const A = { label: "Name", className: "flex grow", id: "name" };
      const B = () => <p title="Long title" className="p-2">Some words {x ? "Never" : "The limit"} {\`\${n} keys\`}</p>;
      const WORDS = { paid: "Paid", kind: "paid" }; const D = (n: number) => \`\${n} times its part\`;
      throw new Error("Not for a reader of the page.");
      const url = "/v1/keys"; api.call("GET /v1/keys"); const C = cx("grow Flex", y && "Mt-2");`;
    expect(textsIn("a.tsx", source)).toEqual([
      "a.tsx:2 Name",
      "a.tsx:3 Long title",
      "a.tsx:3 Some words",
      "a.tsx:3 Never",
      "a.tsx:3 The limit",
      "a.tsx:3 keys",
      "a.tsx:4 Paid",
      "a.tsx:4 times its part",
    ]);
  });
});

describe("every language", () => {
  const others = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== "en");

  it.each(others)("has every text, with the same places for values: %s", async (language) => {
    const shapes = (all: Texts) =>
      Object.fromEntries([...entriesOf(all)].map(([path, entry]) => [path, shapeOf(entry)]));
    expect(shapes(await textsOf(language))).toEqual(shapes(english));
  });

  it.each(others)("has no sentence in English: %s", async (language) => {
    const own = entriesOf(await textsOf(language));
    const same = [...entriesOf(english)].filter(
      ([path, entry]) => typeof entry === "string" && /(?:\p{L}+ ){3}/u.test(entry) && own.get(path) === entry,
    );
    // Prompts that the safety check judges stay as they are.
    expect(same.map(([path]) => path).filter((path) => !path.startsWith("safety.examples."))).toEqual([]);
  });
});

describe("a language", () => {
  it("is the first of the browser's that there is, with the browser's own way to write numbers", () => {
    expect(languageFor(["fr-FR", "en-GB", "en"])).toEqual({ language: "en", locale: "en-GB" });
    expect(languageFor(["en"])).toEqual({ language: "en", locale: "en-US" });
    expect(languageFor(["de-AT", "en"])).toEqual({ language: "de", locale: "de-AT" });
    expect(languageFor(["zh"])).toEqual({ language: "zh", locale: "zh" });
    expect(languageFor(["tlh"])).toEqual({ language: "en", locale: "en-US" });
  });

  it("has its plural forms", () => {
    const forms = { one: "key", other: "keys" };
    expect([0, 1, 2, 1_234].map((count) => plural(count, forms))).toEqual(["0 keys", "1 key", "2 keys", "1,234 keys"]);
  });
});

/** Every entry by its path. */
function entriesOf(part: unknown, path = "", into = new Map<string, unknown>()): Map<string, unknown> {
  if (typeof part === "object" && part !== null)
    for (const [name, value] of Object.entries(part)) entriesOf(value, path === "" ? name : `${path}.${name}`, into);
  else into.set(path, part);
  return into;
}

/** A text's places in braces, or how many values a function takes. */
function shapeOf(entry: unknown): string {
  if (typeof entry === "function") return `takes ${entry.length}`;
  return (String(entry).match(/\{\w+\}/g) ?? []).toSorted().join(" ");
}

/** Every text in a source, with its place. */
function textsIn(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const words = wordsOf(node);
    // An address is the same in every language, and so is a place in braces.
    const rest = words?.replace(/https?:\/\/\S+|\{\w+\}/g, "");
    if (words !== undefined && /\p{L}{2}/u.test(rest ?? "") && !isCode(words) && isRead(node, words)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${file}:${line + 1} ${words.trim().replace(/\s+/g, " ")}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Names of environment variables, lists of country codes, and keys of the keyboard. */
function isCode(words: string): boolean {
  return /^[A-Z]+(?:_[A-Z]+)+$|^[A-Z]{2}(?: [A-Z]{2})+$|^(?:Ctrl|Enter|Escape|Tab|Home|End|Delete|Backspace)$/.test(
    words,
  );
}

function wordsOf(node: ts.Node): string | undefined {
  if (ts.isJsxText(node)) return node.text.trim();
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) return node.text;
  return undefined;
}

/** What is called with classes, names and paths, not with texts. */
const NAMES_NO_TEXT = /^(?:cx|require|query|useSearch|querySelector|form\.(?:watch|getValues|setValue))/;

/** Whether a string is one that people read: words in JSX, in a property that is shown, or a sentence. */
function isRead(node: ts.Node, words: string): boolean {
  if (ts.isJsxText(node)) return true;
  const isTemplate = ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
  const isPhrase = isTemplate && /\p{L}{2,},? \p{L}{2,}/u.test(words);
  for (let at = node, up = node.parent; up !== undefined; at = up, up = up.parent) {
    if (ts.isImportDeclaration(up) || ts.isExportDeclaration(up) || ts.isLiteralTypeNode(up)) return false;
    if (ts.isThrowStatement(up) || ts.isTypeNode(up)) return false;
    if (ts.isCallExpression(up) && NAMES_NO_TEXT.test(up.expression.getText())) return false;
    if (ts.isElementAccessExpression(up) && up.argumentExpression === at) return false;
    if (ts.isBinaryExpression(up) && /^[!=]==?$/.test(up.operatorToken.getText())) return false;
    if (ts.isCaseClause(up) && up.expression === at) return false;
    if (ts.isJsxAttribute(up)) {
      const name = up.name.getText();
      // The name of a field is not shown.
      if (name === "name") return /^\p{Lu}|\s/u.test(words);
      return READ.test(name) || isSentence(words, name);
    }
    if (ts.isPropertyAssignment(up)) {
      const name = up.name.getText().replaceAll(/["']/g, "");
      if (READ.test(name)) return /^\p{Lu}|\s/u.test(words);
      return isSentence(words, name) || (isPhrase && !/class|style/i.test(name));
    }
    if (ts.isJsxExpression(up) && !ts.isJsxAttribute(up.parent)) return true;
  }
  return isSentence(words, "") || isPhrase;
}

function isSentence(words: string, name: string): boolean {
  if (/^(?:GET|POST|PUT|PATCH|DELETE) \//.test(words)) return false;
  if (/class|style|^d$|path|points|viewBox|method|^to$|href|^key$|^id$/i.test(name)) return false;
  if (/^[A-Z]+ \/\S*$/.test(words)) return false;
  if (/^\p{Lu}\p{Ll}+$/u.test(words)) return true;
  return /^\p{Lu}\S*\s+\S*\p{L}/u.test(words) || /(?:^\p{Lu}|\s).*\p{L}[.!?]$/u.test(words);
}
