import { readFile } from "node:fs/promises";
import { randomFromSeed } from "@trunkline/core/seeded.ts";
import { isObject } from "@trunkline/providers/http/json-object.ts";
import type { Row } from "./rows.ts";

/** Texts that are put together from pieces of our own: documents with and without an order in them, and sentences with gaps. */

const SLOT = "{payload}";
/** How many documents each order is put into. */
const CARRIERS_EACH = 3;
const FILLINGS_EACH = 12;

export interface SeedText {
  readonly text: string;
  readonly lang: string;
}

export async function composeDocuments(folder: string, seed: number): Promise<Row[]> {
  const random = randomFromSeed(seed);
  const carriers = await readSeedTexts(`${folder}/document/carriers.jsonl`);
  const orders = await readSeedTexts(`${folder}/document/payloads.jsonl`);
  const clean = await readSeedTexts(`${folder}/document/clean_payloads.jsonl`);
  const common = { category: "composed", source: "ours: documents", channel: "document" } as const;
  const compose = (seedTexts: readonly SeedText[], label: Row["label"]): Row[] =>
    seedTexts.flatMap((seedText) => [
      { text: seedText.text, label, ...common },
      ...Array.from({ length: CARRIERS_EACH }, (_, turn): Row => {
        const alike = carriers.filter(({ lang }) => lang === seedText.lang || turn === 0);
        const carrier = pick(alike.length > 0 ? alike : carriers, random);
        return { ...fillCarrier(carrier.text, seedText.text), label, ...common };
      }),
    ]);
  const bare = carriers.map(
    ({ text }): Row => ({ text: text.replace(SLOT, ""), label: "benign", ...common }),
  );
  return [...compose(orders, "injection"), ...compose(clean, "benign"), ...bare];
}

/** What stands within a quoted value is escaped there. */
function fillCarrier(carrier: string, piece: string): Required<Pick<Row, "text" | "focus">> {
  const at = carrier.indexOf(SLOT) < 0 ? carrier.length : carrier.indexOf(SLOT);
  const isJson = /^\s*[[{]/.test(carrier);
  const words = isJson ? JSON.stringify(piece).slice(1, -1) : piece;
  const text = carrier.slice(0, at) + words + carrier.slice(at).replace(SLOT, "");
  return { text, focus: { start: at, end: at + words.length } };
}

export async function composeRequests(folder: string, seed: number): Promise<Row[]> {
  const random = randomFromSeed(seed);
  const slots = new Map<string, readonly string[]>();
  for (const slot of await readJsonLines(`${folder}/user/slots.jsonl`)) {
    if (typeof slot.slot === "string" && Array.isArray(slot.values)) slots.set(slot.slot, slot.values);
  }
  return (await readJsonLines(`${folder}/user/templates_en.jsonl`)).flatMap((template) => {
    const { text, label, category } = template;
    if (typeof text !== "string" || (label !== "benign" && label !== "injection" && label !== "jailbreak"))
      return [];
    return Array.from({ length: FILLINGS_EACH }, () => ({
      text: text.replace(/\{(\w+)\}/g, (gap, name: string) => {
        const values = slots.get(name);
        return values === undefined ? gap : pick(values, random);
      }),
      label,
      category: String(category),
      source: "ours: requests",
      channel: "user" as const,
    }));
  });
}

export function pick<T>(values: readonly T[], random: () => number): T {
  const found = values[Math.floor(random() * values.length)];
  if (found === undefined) throw new Error("Nothing to choose from.");
  return found;
}

export async function readSeedTexts(file: string): Promise<SeedText[]> {
  return (await readJsonLines(file)).flatMap(({ text, lang }) =>
    typeof text === "string" ? [{ text, lang: String(lang) }] : [],
  );
}

export async function readJsonLines(file: string): Promise<Record<string, unknown>[]> {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.trim() !== "");
  return lines.map((line): unknown => JSON.parse(line)).filter((value) => isObject(value));
}
