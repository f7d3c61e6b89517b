import { readdir, readFile } from "node:fs/promises";
import type { Channel } from "@trunkline/core/verdict.ts";
import { isObject } from "@trunkline/providers/http/json-object.ts";

/** A labelled text. */
export interface Row {
  readonly text: string;
  readonly label: "benign" | "injection" | "jailbreak" | "unsafe";
  readonly category: string;
  readonly source: string;
  readonly channel: Channel;
  /** Where in the text the attack stands, if that is known: what is around it is harmless. */
  readonly focus?: { readonly start: number; readonly end: number };
}

/** Where our own texts lie, by the name of their source. */
const SEED_SOURCES = { user: "ours: requests", harm: "ours: harm", document: "ours: documents" } as const;

/** Labelled lines of a file; those without a text or label that is known are left out. */
export async function readRows(file: string, source?: string): Promise<Row[]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line) => {
    const row: unknown = JSON.parse(line);
    if (!isObject(row) || typeof row.text !== "string" || row.text === "") return [];
    const label = row.label;
    if (label !== "benign" && label !== "injection" && label !== "jailbreak" && label !== "unsafe") return [];
    const said = row.channel;
    const channel = said === "document" || said === "output" ? said : "user";
    const category = typeof row.category === "string" ? row.category : "";
    const from = source ?? (typeof row.source === "string" ? row.source : file);
    return [{ text: row.text, label, category, source: from, channel }];
  });
}

/** The shared rows, each with the channel that its kind is met in. */
export async function readSharedRows(folder: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const name of (await sortedNames(`${folder}/train`)).filter((file) => file.endsWith(".jsonl"))) {
    for (const row of await readRows(`${folder}/train/${name}`))
      rows.push({ ...row, channel: channelOf(name, row.category) });
  }
  return rows;
}

function channelOf(file: string, category: string): Channel {
  if (/composed_indirect|hardneg_docs|benign_code/.test(file) || /xquad_context|tool_output/.test(category))
    return "document";
  return file.startsWith("moderation") ? "output" : "user";
}

/** Our own labelled texts, but for the pieces that documents are made of. */
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

/** Sorted, as the order of a folder is nobody's promise and the weights must not depend on it. */
async function sortedNames(folder: string): Promise<string[]> {
  return (await readdir(folder)).sort();
}

/** Whether it was written for this project, or made of what was. */
export function isOwnData({ source }: Row): boolean {
  return source.startsWith("ours: ") && !source.startsWith("ours: templates");
}
