import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { StartupError } from "@trunkline/core/fault.ts";
import { normaliseTask, textInference } from "@trunkline/core/inference.ts";
import { isObject } from "@trunkline/core/json-object.ts";
import { DEFAULT_CALL_LIMITS, type Model } from "@trunkline/core/model.ts";
import { readRouterWeights } from "@trunkline/router/predict/bundled-weights.ts";
import { CostPredictor, type ObservedCost, type TokenPrices } from "@trunkline/router/predict/cost-predictor.ts";
import { FittedPredictor, type LabelledPrompt } from "@trunkline/router/predict/fitted-predictor.ts";
import { canonicalModelName } from "@trunkline/router/predict/model-name.ts";
import type { RouterWeights } from "@trunkline/router/predict/router-weights.ts";
import { StrongModelGain } from "@trunkline/router/predict/strong-model-gain.ts";

const HELP = `Predicts how good each model's answer to each prompt will be, and what it will cost. Calls nobody.

  trunkline predict --models <catalogue.json> --prompts <file.jsonl> [--evidence <outcomes.jsonl>]

  --models    models as they are registered, or their names alone
  --prompts   one JSON object a line, with \`prompt\` and \`id\`
  --evidence  outcomes to learn from first: lines with \`prompt\`, \`task\` and \`outcomes\`; may be given several times

Prints a line of JSON for each prompt: \`id\`, \`scores\`, \`costs\` in US dollars, and \`route_score\`, which is higher the
more the prompt gains from the strongest model. Ends with 0, or with 2 when something could not be read.`;

/** `trunkline predict`: prints a line for each prompt and returns the exit code. */
export async function predictCommand(args: readonly string[], out: (line: string) => void): Promise<number> {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        models: { type: "string" },
        prompts: { type: "string" },
        evidence: { type: "string", multiple: true },
        help: { type: "boolean", short: "h" },
      },
    });
    if (values.help === true) {
      out(HELP);
      return 0;
    }
    if (values.models === undefined || values.prompts === undefined) {
      throw new StartupError(`Both --models and --prompts are needed.\n\n${HELP}`);
    }
    const catalogueModel = readCatalogue(parseFile(await read(values.models), values.models));
    const prompts = readPromptLines(await read(values.prompts), values.prompts);
    const evidence = [];
    for (const file of values.evidence ?? []) evidence.push(...readPromptLines(await read(file), file));
    for (const line of predictPrompts(readRouterWeights(), catalogueModel, prompts, evidence))
      out(JSON.stringify(line));
    return 0;
  } catch (error) {
    if (error instanceof StartupError) out(error.message);
    // parseArgs throws a TypeError with a sentence for people.
    else if (error instanceof TypeError && "code" in error) out(`${error.message}\n\n${HELP}`);
    else throw error;
    return 2;
  }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new StartupError(`${file} could not be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseFile(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new StartupError(`${file} is not JSON.`);
  }
}

/** A model of a catalogue file, under the name that the file uses. */
export interface CatalogueModel {
  readonly label: string;
  readonly model: Model;
  /** undefined: no price is said. */
  readonly prices: TokenPrices | undefined;
}

/** Reads a catalogue in any of the forms that people keep: a list, a list inside an object, or models by name. */
export function readCatalogue(catalogue: unknown): CatalogueModel[] {
  const entries = entriesOf(catalogue);
  const catalogueModel = entries.map(([name, entry]) => readCatalogueModel(name, entry));
  if (catalogueModel.length === 0) throw new StartupError("The catalogue has no models.");
  const labels = new Set(catalogueModel.map(({ label }) => label));
  if (labels.size < catalogueModel.length) throw new StartupError("The catalogue has two models of one name.");
  return catalogueModel;
}

function entriesOf(catalogue: unknown): (readonly [string | undefined, unknown])[] {
  if (Array.isArray(catalogue)) return catalogue.map((entry: unknown) => [undefined, entry]);
  if (!isObject(catalogue)) throw new StartupError("The catalogue is neither a list of models nor an object.");
  for (const key of ["models", "data"]) {
    const inner = catalogue[key];
    if (Array.isArray(inner) || isObject(inner)) return entriesOf(inner);
  }
  return Object.entries(catalogue);
}

function readCatalogueModel(key: string | undefined, entry: unknown): CatalogueModel {
  const terms = isObject(entry) ? entry : {};
  const label = typeof entry === "string" ? (key ?? entry) : (text(terms, "name", "id", "model") ?? key);
  if (label === undefined || label === "") throw new StartupError("A model in the catalogue has no name.");
  const performance = isObject(terms.performance) ? terms.performance : {};
  const slash = label.indexOf("/");
  const model: Model = {
    id: label,
    provider: text(terms, "provider") ?? (slash > 0 ? label.slice(0, slash) : "catalogue"),
    name: slash > 0 ? label.slice(slash + 1) : label,
    type: "text",
    description: "",
    accountId: undefined,
    wire: "trunkline",
    endpoint: "",
    upstreamModel: text(terms, "upstream_model"),
    authType: "none",
    credential: undefined,
    mayDialPrivate: false,
    price: undefined,
    capabilities: words(terms.capabilities),
    specialties: words(terms.specialties),
    avgLatencyMs: number(performance, "avg_latency_ms") ?? number(terms, "avg_latency_ms"),
    accuracyScore: share(
      number(performance, "accuracy_score") ?? number(terms, "accuracy_score", "accuracy", "quality"),
    ),
    costEfficiency: undefined,
    streaming: false,
    contextWindow: undefined,
    maxOutputTokens: undefined,
    backups: [],
    limits: DEFAULT_CALL_LIMITS,
    state: "active",
  };
  return { label, model, prices: pricesOf(terms) };
}

const THOUSAND = [
  ["input_per_1k_tokens", "input_per_1k", "prompt_per_1k_tokens"],
  ["output_per_1k_tokens", "output_per_1k", "completion_per_1k_tokens"],
] as const;
const MILLION = [
  ["input_per_1m_tokens", "input_per_1m", "input_per_million", "input"],
  ["output_per_1m_tokens", "output_per_1m", "output_per_million", "output"],
] as const;
const ONE = [
  ["prompt", "input_cost_per_token"],
  ["completion", "output_cost_per_token"],
] as const;

function pricesOf(terms: Readonly<Record<string, unknown>>): TokenPrices | undefined {
  const named = terms.pricing ?? terms.price ?? terms.prices;
  for (const place of [isObject(named) ? named : {}, terms]) {
    for (const [keys, times] of [
      [THOUSAND, 1_000],
      [MILLION, 1],
      [ONE, 1_000_000],
    ] as const) {
      const input = number(place, ...keys[0]);
      const output = number(place, ...keys[1]);
      if (input === undefined && output === undefined) continue;
      return { input: (input ?? output ?? 0) * times, output: (output ?? input ?? 0) * times };
    }
  }
  return undefined;
}

function text(terms: Readonly<Record<string, unknown>>, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = terms[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

function number(terms: Readonly<Record<string, unknown>>, ...keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const value = Number(terms[key] ?? Number.NaN);
    if (Number.isFinite(value) && value >= 0) return value;
  }
  return undefined;
}

/** Some write 0 to 1, others percent. */
function share(value: number | undefined): number | undefined {
  if (value === undefined) return undefined;
  return Math.min(1, value > 1 ? value / 100 : value);
}

function words(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((word) => typeof word === "string").map((word) => word.toLowerCase()) : [];
}

/** A prompt with whatever else its line has. */
export interface PromptLine {
  readonly id: string;
  readonly prompt: string;
  readonly task: string;
  readonly outcomes: Readonly<Record<string, unknown>>;
}

/** What is predicted of one prompt, as it is printed. */
export interface PredictedLine {
  readonly id: string;
  readonly scores: Readonly<Record<string, number>>;
  readonly costs: Readonly<Record<string, number>>;
  readonly route_score: number;
}

/** Reads lines of JSON: each has a prompt, and perhaps an id, a task and outcomes. */
export function readPromptLines(text: string, file: string): PromptLine[] {
  return text.split("\n").flatMap((line, at) => {
    if (line.trim() === "") return [];
    const where = `${file}, line ${at + 1}`;
    const row = parseLine(line, where);
    if (!isObject(row)) throw new StartupError(`${where} is no object.`);
    const prompt = [row.prompt, row.input, row.text, row.question].find((value) => typeof value === "string");
    if (typeof prompt !== "string") throw new StartupError(`${where} has no prompt.`);
    const outcomes = isObject(row.outcomes) ? row.outcomes : {};
    const task = typeof row.task === "string" ? row.task : "";
    return [{ id: nameOf(row.id) ?? String(at + 1), prompt, task, outcomes }];
  });
}

/** What a line is called: a word or a number. */
function nameOf(id: unknown): string | undefined {
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

function parseLine(line: string, where: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new StartupError(`${where} is not JSON.`);
  }
}

/** Predicts for all prompts; the outcomes of `evidence` are learnt from first, those of `prompts` never looked at. */
export function predictPrompts(
  routerWeights: RouterWeights,
  catalogueModel: readonly CatalogueModel[],
  prompts: readonly PromptLine[],
  evidence: readonly PromptLine[],
): PredictedLine[] {
  const finder = finderOf(catalogueModel);
  const known = evidence.map((line) => ({ line, ...outcomeOf(line, finder) }));
  const predictor = new FittedPredictor(
    routerWeights,
    known.map(({ taught }) => taught),
  );
  const seen: ObservedCost[] = known.flatMap(({ line, taught, costs }) => {
    if (costs.length === 0) return [];
    const promptFeatures = predictor.extractFeatures(taught.inference);
    return costs.map(([model, cost]) => ({ model, cost, promptFeatures, chars: line.prompt.length }));
  });
  const prices = new Map(catalogueModel.map(({ model, prices }) => [model, prices]));
  const costPredictor = new CostPredictor(routerWeights, (model) => prices.get(model), seen);
  const pool = catalogueModel.map(({ model }) => model);
  const read = prompts.map(({ id, prompt, task }) => {
    const inference = textInference(prompt, normaliseTask(kindWord(task)));
    const promptFeatures = predictor.extractFeatures(inference, pool);
    const figures = catalogueModel.map(({ label, model }) => {
      const tokens = predictor.expectedOutputTokens(model, promptFeatures);
      return {
        label,
        score: predictor.predict(model, promptFeatures, inference),
        cost: costPredictor.predict(model, prompt.length, promptFeatures, tokens),
      };
    });
    return { id, promptFeatures, figures };
  });
  const { strong, weak } = outcomeRange(
    catalogueModel,
    read.map(({ figures }) => figures),
  );
  const need = new StrongModelGain(routerWeights);
  return read.map(({ id, promptFeatures, figures }) => ({
    id,
    scores: Object.fromEntries(figures.map(({ label, score }) => [label, round(score)])),
    costs: Object.fromEntries(figures.map(({ label, cost }) => [label, round(cost)])),
    route_score: round(need.estimate(strong.model, weak.model, promptFeatures)),
  }));
}

/** The strongest model of all, and the one that would be taken to save: the cheapest of the others. */
function outcomeRange(
  catalogueModel: readonly CatalogueModel[],
  predicted: readonly (readonly { readonly score: number; readonly cost: number }[])[],
): { readonly strong: CatalogueModel; readonly weak: CatalogueModel } {
  const ranked = catalogueModel.map((one, at) => ({
    one,
    score: predicted.reduce((sum, figures) => sum + (figures[at]?.score ?? 0), 0),
    cost: predicted.reduce((sum, figures) => sum + (figures[at]?.cost ?? 0), 0),
  }));
  const [strong] = ranked.toSorted((a, b) => b.score - a.score || b.cost - a.cost);
  const [weak] = ranked.filter((other) => other !== strong).toSorted((a, b) => a.cost - b.cost || a.score - b.score);
  if (strong === undefined) throw new StartupError("The catalogue has no models.");
  return { strong: strong.one, weak: (weak ?? strong).one };
}

type Finder = (name: string) => CatalogueModel | undefined;

/** Finds the models of outcomes in the catalogue, which may spell them in another way. */
function finderOf(catalogueModel: readonly CatalogueModel[]): Finder {
  const byLabel = new Map(catalogueModel.map((one) => [one.label, one]));
  const byPlainName = new Map(catalogueModel.map((one) => [canonicalModelName(one.label), one]));
  return (name) => byLabel.get(name) ?? byPlainName.get(canonicalModelName(name));
}

function outcomeOf({ prompt, task, outcomes }: PromptLine, find: Finder) {
  const scores = new Map<CatalogueModel["model"], number>();
  const costs: [CatalogueModel["model"], number][] = [];
  for (const [name, outcome] of Object.entries(outcomes)) {
    const model = find(name)?.model;
    if (model === undefined) continue;
    const score = isObject(outcome) ? outcome.score : outcome;
    const cost = isObject(outcome) ? outcome.cost : undefined;
    if (typeof score === "number" || typeof score === "boolean")
      scores.set(model, Math.min(1, Math.max(0, Number(score))));
    if (typeof cost === "number") costs.push([model, cost]);
  }
  const inference = textInference(prompt, normaliseTask(kindWord(task)));
  const taught: LabelledPrompt = { inference, prompt, task, scores };
  return { taught, costs };
}

/** The names of collections say nothing to the service; a kind of work does. */
function kindWord(task: string): string {
  return task === "" || task.includes("/") ? "chat" : task;
}

function round(value: number): number {
  return Number(value.toPrecision(7));
}
