import { readFile, writeFile } from "node:fs/promises";
import { type Installable, versionOf } from "./agents.ts";

const PAGE = new URL("../../../docs/compatibility.md", import.meta.url);

/** The wire formats of the providers behind what is tried. */
export const WIRES = [
  { wire: "openai", name: "OpenAI", base: "/v1", model: "gpt-5.1" },
  { wire: "anthropic", name: "Anthropic", base: "", model: "claude-opus-4-5" },
  { wire: "gemini", name: "Gemini", base: "/v1beta", model: "gemini-3-pro" },
] as const;

/** All programs on all wires take minutes. Usually each is tried on one; the matrix of clients and providers has the rest. */
export const TRIES_ALL = process.env.WRITE_AGENTS !== undefined;

interface Tried extends Pick<Installable, "packages"> {
  readonly name: string;
}

/** What has worked in this run: names of programs and wires. */
export class Successes {
  readonly #names = new Set<string>();

  add({ name }: Tried, wire: string): void {
    this.#names.add(`${name} with ${wire}`);
  }

  wordFor({ name }: Tried, wire: string): string {
    return this.#names.has(`${name} with ${wire}`) ? "works" : "fails";
  }
}

/** Writes a table of what was tried into the documentation. */
export async function writeTable(
  kind: "agents" | "clients",
  head: string,
  tried: readonly Tried[],
  successes: Successes,
): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const words = (one: Tried) => WIRES.map(({ wire }) => successes.wordFor(one, wire)).join(" | ");
  const table = [
    `| ${head} | version | ${WIRES.map(({ name }) => name).join(" | ")} | tried on |`,
    `|${" --- |".repeat(WIRES.length + 3)}`,
    ...tried.map((one) => `| ${one.name} | ${versionOf(one)} | ${words(one)} | ${today} |`),
  ].join("\n");
  await writeSection(kind, table);
}

type Section = "agents" | "clients" | "langchain";

/** Writes a part of the page that a test makes. */
export async function writeSection(name: Section, text: string): Promise<void> {
  const page = await readFile(PAGE, "utf8");
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const from = page.indexOf(start) + start.length;
  await writeFile(PAGE, `${page.slice(0, from)}\n${text}\n\n${page.slice(page.indexOf(end))}`);
}

/** A part of the page that a test makes. */
export async function readSection(kind: Section): Promise<string> {
  const page = await readFile(PAGE, "utf8");
  return page.slice(page.indexOf(`<!-- ${kind} -->`), page.indexOf(`<!-- end of ${kind} -->`));
}

/** What a row has to begin with, so that it is one of the version that is tried. */
export function rowOf(one: Tried): RegExp {
  const name = one.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`\\| ${name} +\\| ${versionOf(one)} +\\| works`);
}
