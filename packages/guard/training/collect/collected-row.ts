import { readFile } from "node:fs/promises";
import { randomFromSeed, shuffledIndexes } from "@trunkline/core/sampling.ts";
import type { TextRange } from "../../src/text-range.ts";
import type { Row } from "../rows.ts";

/** A row of a data file. The file says in which channel it occurs. */
export interface CollectedRow extends Pick<Row, "text" | "label" | "category" | "source"> {
  readonly focus?: TextRange;
}

/** Reads files of repositories that were cloned to `<folder>/<owner>/<name>`. */
export class Repositories {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  bytes(repository: string, path: string): Promise<Buffer> {
    return readFile(`${this.#folder}/${repository}/${path}`);
  }

  async text(repository: string, path: string): Promise<string> {
    return (await this.bytes(repository, path)).toString("utf8").replace(/^\uFEFF/, "");
  }

  async json(repository: string, path: string): Promise<unknown> {
    return JSON.parse(await this.text(repository, path));
  }

  async lines(repository: string, path: string): Promise<string[]> {
    return (await this.text(repository, path)).split(/\r?\n/).filter((line) => line.trim() !== "");
  }

  /** The records of a CSV file with a header. */
  async records(repository: string, path: string): Promise<Readonly<Record<string, string>>[]> {
    return recordsOf(await this.text(repository, path));
  }
}

/** The records of CSV text with a header; a quoted cell may hold line breaks. */
export function recordsOf(csv: string): Readonly<Record<string, string>>[] {
  const rows: string[][] = [];
  let cells: string[] = [];
  for (const match of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    const [whole, quoted, plain = "", end] = match;
    if (whole === "" && cells.length === 0) continue;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    rows.push(cells);
    cells = [];
  }
  const [header = [], ...records] = rows;
  return records.map((record) => Object.fromEntries(header.map((name, at) => [name, record[at] ?? ""])));
}

/** A random sample in random order, the same for the same seed. */
export function sample<T>(values: readonly T[], most: number, seed: number): T[] {
  const order = shuffledIndexes(values.length, randomFromSeed(seed));
  return [...order.slice(0, most)].flatMap((at) => {
    const value = values[at];
    return value === undefined ? [] : [value];
  });
}
