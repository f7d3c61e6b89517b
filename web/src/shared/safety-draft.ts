import type { BodyOf } from "@trunkline/sdk";
import { texts } from "../texts/texts.ts";
import { surrogateSafeSlice } from "../ui/surrogate-safe-slice.ts";
import { isRedactable, type SafetyAction } from "./safety-words.ts";

export type Rules = BodyOf<"PUT /v1/safety/policy">;
export type Preset = NonNullable<Rules["preset"]>;
type WireRule = NonNullable<Rules["categories"]>[string];
type WireException = NonNullable<Rules["exceptions"]>[number];

/** Scores as they are typed; undefined: never. */
export interface Marks {
  readonly report: number | undefined;
  readonly redact: number | undefined;
  readonly refuse: number | undefined;
}

export type Choice = SafetyAction | Marks;
export type Choices = Readonly<Record<string, Choice>>;
/** inherit: as the level below has it. */
export type Said = "inherit" | "on" | "off";

/** Rules for some models, as typed. */
export interface ExceptionDraft {
  readonly id: number;
  /** Names, apart by commas or lines. */
  readonly models: string;
  readonly providers: string;
  readonly preset: Preset | "inherit";
  readonly choices: Choices;
}

/** Rules as typed, unparsed. */
export interface RulesDraft {
  readonly preset: Preset | "inherit";
  readonly choices: Choices;
  readonly exceptions: readonly ExceptionDraft[];
  /** One phrase a line. */
  readonly allowList: string;
  readonly dryRun: Said;
  readonly restore: Said;
}

/** What is wrong with a draft; the server looks again. */
export interface DraftErrors {
  readonly categories: ReadonlyMap<string, string>;
  readonly allowList: string | undefined;
  readonly exceptions: ReadonlyMap<number, string>;
}

export function draftOf(rules: Rules | null): RulesDraft {
  return {
    preset: rules?.preset ?? "inherit",
    choices: choicesOf(rules?.categories),
    exceptions: (rules?.exceptions ?? []).map((one, id) => exceptionOf(one, id)),
    allowList: (rules?.allow_list ?? []).join("\n"),
    dryRun: saidOf(rules?.dry_run),
    restore: saidOf(rules?.restore),
  };
}

/** What the server is sent for a draft without errors. */
export function rulesOf(draft: RulesDraft): Rules {
  const phrases = linesOf(draft.allowList);
  return {
    ...policyOf(draft.preset, draft.choices),
    ...(draft.exceptions.length === 0 ? {} : { exceptions: draft.exceptions.map(exceptionToWire) }),
    ...(phrases.length === 0 ? {} : { allow_list: phrases }),
    ...(draft.dryRun === "inherit" ? {} : { dry_run: draft.dryRun === "on" }),
    ...(draft.restore === "inherit" ? {} : { restore: draft.restore === "on" }),
  };
}

export function errorsOf({ choices, allowList, exceptions }: RulesDraft): DraftErrors {
  const categories = new Map<string, string>();
  for (const [category, choice] of Object.entries(choices)) {
    const error = typeof choice === "object" ? wrongMarks(category, choice) : undefined;
    if (error !== undefined) categories.set(category, error);
  }
  const wrong = new Map<number, string>();
  for (const { id, models, providers, preset, choices: own } of exceptions) {
    if (namesOf(models).length + namesOf(providers).length === 0) wrong.set(id, texts.safety.errors.exceptionModels);
    else if (preset === "inherit" && Object.keys(own).length === 0) wrong.set(id, texts.safety.errors.exceptionRules);
  }
  return { categories, allowList: wrongPhrase(linesOf(allowList)), exceptions: wrong };
}

export function hasErrors({ categories, allowList, exceptions }: DraftErrors): boolean {
  return categories.size > 0 || allowList !== undefined || exceptions.size > 0;
}

function wrongMarks(category: string, { report, redact, refuse }: Marks): string | undefined {
  const given = [report, redact, refuse].filter((score) => score !== undefined);
  if (given.some((score) => score < 0 || score > 1)) return texts.safety.errors.scoreRange;
  if (given.some((score, place) => score < (given[place - 1] ?? 0))) return texts.safety.errors.scoreOrder;
  if (category === "sexual_minors" && (refuse === undefined || refuse > 0.5)) return texts.safety.errors.minors;
  return undefined;
}

function wrongPhrase(phrases: readonly string[]): string | undefined {
  if (phrases.length > 100) return texts.safety.errors.manyPhrases;
  const wrong = phrases.find((phrase) => phrase.length < 2 || phrase.length > 200);
  return wrong === undefined ? undefined : texts.safety.errors.phrase(surrogateSafeSlice(wrong, 20));
}

function policyOf(preset: RulesDraft["preset"], choices: Choices): Pick<Rules, "preset" | "categories"> {
  const rules = Object.entries(choices).map(([category, choice]) => [category, ruleOf(category, choice)]);
  return {
    ...(preset === "inherit" ? {} : { preset }),
    ...(rules.length === 0 ? {} : { categories: Object.fromEntries(rules) }),
  };
}

function ruleOf(category: string, choice: Choice): WireRule {
  if (typeof choice === "string") return choice;
  return {
    report_at: choice.report ?? null,
    redact_at: isRedactable(category) ? (choice.redact ?? null) : null,
    refuse_at: choice.refuse ?? null,
  };
}

function choicesOf(rules: Rules["categories"]): Choices {
  const choices = Object.entries(rules ?? {}).map(([category, rule]): [string, Choice] => [
    category,
    typeof rule === "string"
      ? rule
      : {
          report: rule.report_at ?? undefined,
          redact: rule.redact_at ?? undefined,
          refuse: rule.refuse_at ?? undefined,
        },
  ]);
  return Object.fromEntries(choices);
}

function exceptionOf({ models, providers, preset, categories }: WireException, id: number): ExceptionDraft {
  return {
    id,
    models: (models ?? []).join(", "),
    providers: (providers ?? []).join(", "),
    preset: preset ?? "inherit",
    choices: choicesOf(categories),
  };
}

function exceptionToWire({ models, providers, preset, choices }: ExceptionDraft): WireException {
  const [named, offered] = [namesOf(models), namesOf(providers)];
  return {
    ...(named.length === 0 ? {} : { models: named }),
    ...(offered.length === 0 ? {} : { providers: offered }),
    ...policyOf(preset, choices),
  };
}

function saidOf(said: boolean | undefined): Said {
  return said === undefined ? "inherit" : said ? "on" : "off";
}

function linesOf(text: string): string[] {
  return [...new Set(text.split("\n").map((line) => line.trim()))].filter(Boolean);
}

function namesOf(text: string): string[] {
  return [...new Set(text.split(/[,\n]/).map((name) => name.trim()))].filter(Boolean);
}
