import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";
import { isObject } from "@trunkline/core/json-object.ts";
import type { ScoredChannel } from "../src/classifier/text-scorer.ts";
import type { TextRange } from "../src/text-range.ts";
import { describeSource, type TrainingData } from "./sources.ts";

/** A labelled text. */
export interface Row {
  readonly text: string;
  readonly label: "benign" | "injection" | "jailbreak" | "unsafe";
  readonly category: string;
  readonly source: string;
  readonly channel: ScoredChannel;
  /** The range of the attack, if known; the text around it is harmless. */
  readonly focus?: TextRange;
}

/** The folders of our own texts, with the name of their source. */
const SEED_SOURCES = { user: "ours: requests", harm: "ours: harm", document: "ours: documents" } as const;

/** The labelled rows of a file; lines without a text or a known label are skipped. */
export async function readRows(file: string, source?: string): Promise<Row[]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line) => {
    const row: unknown = JSON.parse(line);
    if (!isObject(row) || typeof row.text !== "string" || row.text === "") return [];
    const label = row.label;
    if (label !== "benign" && label !== "injection" && label !== "jailbreak" && label !== "unsafe") return [];
    const channelField = row.channel;
    const channel = channelField === "document" || channelField === "output" ? channelField : "user";
    const category = typeof row.category === "string" ? row.category : "";
    const from = source ?? (typeof row.source === "string" ? row.source : file);
    const focus = rangeOf(row.focus);
    return [{ text: row.text, label, category, source: from, channel, ...(focus === undefined ? {} : { focus }) }];
  });
}

function rangeOf(value: unknown): TextRange | undefined {
  if (!isObject(value) || typeof value.start !== "number" || typeof value.end !== "number") return undefined;
  return { start: value.start, end: value.end };
}

/** The rows of the public training data, each with the channel in which such texts occur. */
export async function readPublicRows({ folder, files }: TrainingData): Promise<Row[]> {
  const rows: Row[] = [];
  for (const file of files) {
    for (const [at, row] of (await readRows(`${folder}/${file}`)).entries()) {
      describeSource(row.source);
      rows.push({ ...row, channel: channelOf(basename(file), row.category, at) });
    }
  }
  return rows;
}

function channelOf(file: string, category: string, line: number): ScoredChannel {
  // People paste long documents into their requests, and tools return them.
  if (file.includes("long_documents")) return line % 2 === 0 ? "document" : "user";
  if (
    /composed_indirect|hardneg_docs|benign_code|collected_documents/.test(file) ||
    /xquad_context|tool_output/.test(category)
  )
    return "document";
  return file.startsWith("moderation") ? "output" : "user";
}

/** Our own labelled texts, except the pieces that documents are composed of. */
export async function readSeedRows(folder: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [kind, source] of Object.entries(SEED_SOURCES)) {
    for (const name of await sortedNames(`${folder}/${kind}`)) {
      if (/carriers|payloads|words/.test(name) || !name.endsWith(".jsonl")) continue;
      rows.push(...(await readRows(`${folder}/${kind}/${name}`, source)));
    }
  }
  return rows;
}

/** Sorted, as the weights must not depend on the order of a directory listing. */
async function sortedNames(folder: string): Promise<string[]> {
  return (await readdir(folder)).sort();
}

/** Whether a row was written for this project or composed of such texts. */
export function isOwnData({ source }: Row): boolean {
  return source.startsWith("ours: ") && !source.startsWith("ours: templates");
}
