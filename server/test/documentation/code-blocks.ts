import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** A fenced block of a page, and what the comment right before it says about running it. */
export interface CodeBlock {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** `<!-- not run: reason -->`: why no test can run it. */
  readonly notRun: string | undefined;
  /** `<!-- answers: 403 -->`: the status of an error that the block is there to show. */
  readonly answers: number | undefined;
  /** `<!-- keeps running: 9100 -->`: it serves this port until the page ends. */
  readonly keepsRunning: number | undefined;
}

/** Every page whose blocks are run. */
export function documentedPages(): string[] {
  const docs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`);
  return [
    "README.md",
    "examples/provider/README.md",
    "sdk/README.md",
    "sdk-python/README.md",
    "ai-sdk-provider/README.md",
    ...docs.toSorted(),
  ];
}

const FENCE = /^(?:<!-- ([a-z ]+): ([^\n]*?) -->\n+)?^( *)```(\w*)\n([\s\S]*?)^ *```$/gm;

export function blocksOf(file: string, text = readFileSync(join(ROOT, file), "utf8")): CodeBlock[] {
  return Array.from(text.matchAll(FENCE), (match) => {
    const [, mark, value = "", indent = "", language = "", code = ""] = match;
    const before = text.slice(0, match.index + match[0].indexOf("```"));
    return {
      file,
      line: before.split("\n").length,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      notRun: mark === "not run" ? value : undefined,
      answers: mark === "answers" ? Number(value) : undefined,
      keepsRunning: mark === "keeps running" ? Number(value) : undefined,
    };
  });
}
