import { StartupError } from "@trunkline/core/mistake.ts";
import { normaliseTask } from "@trunkline/core/normalise-task.ts";
import { textInference } from "@trunkline/core/plain-inference.ts";
import { isObject } from "@trunkline/providers/http/json-object.ts";
import { CostPredictor, type ObservedCost } from "@trunkline/router/predict/cost-predictor.ts";
import { FittedPredictor, type LabelledPrompt } from "@trunkline/router/predict/learn-outcomes.ts";
import { canonicalModelName } from "@trunkline/router/predict/model-names.ts";
import { StrongModelGain } from "@trunkline/router/predict/strong-model-gain.ts";
import type { RouterWeights } from "@trunkline/router/predict/weights.ts";
import type { CatalogueModel } from "./predict-catalogue.ts";

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

/** Predicts for all prompts; the outcomes of `lessons` are learnt from first, those of `prompts` never looked at. */
export function predictPrompts(
  routerWeights: RouterWeights,
  catalogueModel: readonly CatalogueModel[],
  prompts: readonly PromptLine[],
  lessons: readonly PromptLine[],
): PredictedLine[] {
  const finder = finderOf(catalogueModel);
  const known = lessons.map((lesson) => ({ lesson, ...outcomeOf(lesson, finder) }));
  const predictor = new FittedPredictor(
    routerWeights,
    known.map(({ taught }) => taught),
  );
  const seen: ObservedCost[] = known.flatMap(({ lesson, taught, costs }) => {
    if (costs.length === 0) return [];
    const promptFeatures = predictor.extractFeatures(taught.inference);
    return costs.map(([model, cost]) => ({ model, cost, promptFeatures, chars: lesson.prompt.length }));
  });
  const prices = new Map(catalogueModel.map(({ model, prices }) => [model, prices]));
  const costPredictor = new CostPredictor(routerWeights, (model) => prices.get(model), seen);
  const read = prompts.map(({ id, prompt, task }) => {
    const inference = textInference(prompt, normaliseTask(kindWord(task)));
    const promptFeatures = predictor.extractFeatures(inference);
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
  const [weak] = ranked
    .filter((other) => other !== strong)
    .toSorted((a, b) => a.cost - b.cost || a.score - b.score);
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
