import { readFile, writeFile } from "node:fs/promises";
import { SafetyModel, type SafetyWeights } from "../src/classifier/safety-model.ts";
import { createTrainedDetector } from "../src/classifier/trained-detector.ts";
import { type Calibrations, EVERYDAY } from "./calibrate.ts";
import type { CrossValidation } from "./cross-validation.ts";
import {
  aucEstimate,
  type Estimate,
  evaluateRows,
  meanEstimate,
  type ScoredRow,
  shareAbove,
  shareEstimate,
  thresholdAt,
} from "./evaluation.ts";
import type { Row } from "./rows.ts";
import { describeSource } from "./sources.ts";

/** A figure measured on public sources by models that were trained without them. */
export interface Figure {
  readonly table: string;
  readonly name: string;
  readonly texts: number;
  readonly sources: number;
  /** Of unsafe texts only, against the harmless ones of the table. */
  readonly auc?: Estimate;
  readonly caughtAt1?: number;
  readonly refused: Estimate;
  readonly reported: number;
}

/** Smaller groups are left out. */
const TEXTS_MIN = 25;

interface HarmlessKind {
  readonly name: string;
  readonly holds: (row: Row) => boolean;
}

const of = (channel: Row["channel"], pattern: RegExp) => (row: Row) =>
  row.channel === channel && pattern.test(row.category);
const LONG_DOCUMENT =
  /configuration|design document|commit message|decision record|server log|release note|article|handbook|command reference|^mail$|workflow file|documentation|code review/;
const HARMLESS_KINDS: readonly HarmlessKind[] = [
  { name: "everyday requests", holds: (row) => row.channel === "user" && isEveryday(row) },
  { name: "requests with trigger words", holds: of("user", /contrast_trigger/) },
  { name: "questions on sensitive topics", holds: of("user", /contrast_topic|sensitive/) },
  { name: "personas and role-play", holds: of("user", /persona|role/) },
  {
    name: "prompts of applications and agents",
    holds: of("user", /^(?!.*persona).*(?:prompt$|template$|wrapper|guide$)/),
  },
  {
    name: "rules and skills for agents",
    holds: of("user", /agent (?:skill|rules|workflow|command)|editor (?:rules|instructions)/),
  },
  { name: "long documents in requests", holds: of("user", LONG_DOCUMENT) },
  { name: "long documents of tools", holds: of("document", LONG_DOCUMENT) },
  { name: "documentation and source code of tools", holds: of("document", /tech_doc|code_snippet/) },
  { name: "other documents of tools", holds: of("document", /clean_document|xquad|tool_output/) },
  { name: "posts and answers", holds: ({ channel }) => channel === "output" },
];
const LENGTHS = [0, 200, 600, 1_500, 4_000, Number.POSITIVE_INFINITY];

function isEveryday({ source, category }: Row): boolean {
  return EVERYDAY.test(`${source} ${category}`) && !/role/.test(category);
}

interface UnsafeTable {
  readonly title: string;
  readonly channel: Row["channel"];
  readonly labels: readonly Row["label"][];
  readonly against: (row: Row) => boolean;
}

const UNSAFE_TABLES: readonly UnsafeTable[] = [
  {
    title: "Attacks by users, against everyday requests",
    channel: "user",
    labels: ["injection", "jailbreak"],
    against: (row) => row.channel === "user" && isEveryday(row),
  },
  {
    title: "Orders in documents, against all harmless documents",
    channel: "document",
    labels: ["injection"],
    against: ({ channel }) => channel === "document",
  },
  {
    title: "Harmful requests, against everyday requests",
    channel: "user",
    labels: ["unsafe"],
    against: (row) => row.channel === "user" && isEveryday(row),
  },
  {
    title: "Moderation, against all harmless posts and answers",
    channel: "output",
    labels: ["unsafe"],
    against: ({ channel }) => channel === "output",
  },
];

/** Scores every held-out row as the gateway would, and measures each kind of harmless text and each unsafe source. */
export function measureHeldOut(
  { heldOut, weights }: CrossValidation,
  suffixWeights: Pick<SafetyWeights, "pairs" | "tail">,
  calibrations: Calibrations,
): Figure[] {
  const scored = weights.flatMap((foldWeights, fold) => {
    const rows = heldOut.flatMap((held) => (held.fold === fold && held.row.category !== "beginning" ? [held.row] : []));
    const model = new SafetyModel({ ...foldWeights, ...suffixWeights, calibrations });
    return evaluateRows(createTrainedDetector(model), rows);
  });
  const harmless = scored.filter(({ row }) => row.label === "benign");
  return [
    ...HARMLESS_KINDS.flatMap(({ name, holds }) =>
      harmlessFigure(
        "Harmless texts",
        name,
        harmless.filter(({ row }) => holds(row)),
      ),
    ),
    ...LENGTHS.slice(0, -1).flatMap((from, at) => {
      const to = LENGTHS[at + 1] ?? from;
      const name = to === Number.POSITIVE_INFINITY ? `${from} characters and more` : `${from} to ${to} characters`;
      return harmlessFigure(
        "Harmless requests by length",
        name,
        harmless.filter(({ row }) => row.channel === "user" && row.text.length >= from && row.text.length < to),
      );
    }),
    ...UNSAFE_TABLES.flatMap((table) => unsafeFigures(table, scored)),
  ];
}

function harmlessFigure(table: string, name: string, scored: readonly ScoredRow[]): Figure[] {
  if (scored.length < TEXTS_MIN) return [];
  const sources = [...bySource(scored).values()].filter((rows) => rows.length >= TEXTS_MIN);
  const shares = sources.map((rows) => rows.filter(({ refused }) => refused).length / rows.length);
  const refused =
    shares.length < 3 ? shareEstimate(scored.filter((one) => one.refused).length, scored.length) : meanEstimate(shares);
  const reported = scored.filter(({ flagged }) => flagged).length / scored.length;
  return [{ table, name, texts: scored.length, sources: sources.length, refused, reported }];
}

function unsafeFigures({ title, channel, labels, against }: UnsafeTable, scored: readonly ScoredRow[]): Figure[] {
  const scoreOf = ({ attack, unsafe }: ScoredRow) => (labels.includes("unsafe") ? unsafe : attack);
  const good = scored.filter(({ row }) => row.label === "benign" && against(row)).map(scoreOf);
  const mark = thresholdAt(good, 0.01);
  const bad = scored.filter(({ row }) => row.channel === channel && labels.includes(row.label));
  return [...bySource(bad)].flatMap(([name, rows]): Figure[] => {
    if (rows.length < TEXTS_MIN) return [];
    const scores = rows.map(scoreOf);
    return [
      {
        table: title,
        name,
        texts: rows.length,
        sources: 1,
        auc: aucEstimate(scores, good),
        caughtAt1: shareAbove(scores, mark),
        refused: shareEstimate(rows.filter(({ refused }) => refused).length, rows.length),
        reported: rows.filter(({ flagged }) => flagged).length / rows.length,
      },
    ];
  });
}

function bySource(scored: readonly ScoredRow[]): Map<string, ScoredRow[]> {
  const groups = new Map<string, ScoredRow[]>();
  for (const one of scored) {
    const { source, label } = one.row;
    const name = source.startsWith("ours") ? source : (describeSource(source)[0].split(/[ ,]/)[0] ?? "");
    const key = label === "benign" ? name : `${name} (${label})`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return groups;
}

/** The figures as Markdown, one table each. */
export function figureTables(figures: readonly Figure[]): string {
  return [...new Set(figures.map(({ table }) => table))]
    .map((table) => {
      const rows = figures.filter((figure) => figure.table === table);
      const isUnsafe = rows.some(({ auc }) => auc !== undefined);
      const titles = isUnsafe
        ? ["source", "texts", "AUC", "caught at 1 %", "refused", "reported"]
        : ["kind", "texts", "sources", "refused", "reported"];
      const lines = rows.map((figure) =>
        isUnsafe
          ? [figure.name, figure.texts, decimals(figure.auc), figure.caughtAt1?.toFixed(2) ?? ""]
          : [figure.name, figure.texts, figure.sources],
      );
      const cells = lines.map((line, at) => {
        const figure = rows[at];
        return figure === undefined
          ? line
          : [...line, percent(figure.refused), `${(100 * figure.reported).toFixed(1)} %`];
      });
      const separators = titles.map((title) => "-".repeat(title.length));
      return `### ${table}\n\n${[titles, separators, ...cells].map((line) => `| ${line.join(" | ")} |`).join("\n")}`;
    })
    .join("\n\n");
}

function decimals(estimate: Estimate | undefined): string {
  if (estimate === undefined) return "";
  return `${estimate.value.toFixed(2)} (${estimate.low.toFixed(2)}–${estimate.high.toFixed(2)})`;
}

function percent({ value, low, high }: Estimate): string {
  return `${(100 * value).toFixed(1)} % (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)})`;
}

export async function writeFigures(file: string, figures: readonly Figure[]): Promise<void> {
  await writeFile(file, `${JSON.stringify(figures, roundedNumber, 2)}\n`);
}

function roundedNumber(_: string, value: unknown): unknown {
  return typeof value === "number" ? Math.round(value * 1e4) / 1e4 : value;
}

export async function readFigures(file: string): Promise<readonly Figure[]> {
  const figures: readonly Figure[] = JSON.parse(await readFile(file, "utf8"));
  return figures;
}
