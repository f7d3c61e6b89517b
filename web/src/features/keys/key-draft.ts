import type { AnswerOf, BodyOf } from "@trunkline/sdk";
import {
  hasErrors,
  type Rules,
  type RulesDraft,
  draftOf as rulesDraftOf,
  rulesOf,
  errorsOf as wrongRulesIn,
} from "../../shared/safety-draft.ts";
import { texts } from "../../texts/texts.ts";
import { isIpRange } from "./ip-range.ts";

export type Key = AnswerOf<"GET /v1/keys">["data"][number];
export type Scope = Key["scopes"][number];
export type Period = NonNullable<Key["budget"]>["period"];
type Body = BodyOf<"POST /v1/keys">;

/** When a key expires: never, unchanged, after a number of days, or at the end of a day. */
export type Expiry = "never" | "keep" | "7" | "30" | "90" | "365" | "date";

/** A key as typed into the form, unparsed. */
export interface KeyDraft {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiry: Expiry;
  /** YYYY-MM-DD, where the expiry is a date. */
  readonly date: string;
  readonly requestsPerMinute: string;
  readonly budgetLimit: string;
  readonly budgetPeriod: Period;
  readonly models: readonly string[];
  /** Addresses and ranges, apart by lines, commas or spaces. */
  readonly ips: string;
  /** Sites whose pages may use it, apart likewise. */
  readonly origins: string;
  /** undefined: as the organisation has it. */
  readonly safety: RulesDraft | undefined;
}

export type DraftField =
  | "name"
  | "scopes"
  | "date"
  | "requestsPerMinute"
  | "budgetLimit"
  | "models"
  | "ips"
  | "origins"
  | "safety";
export type DraftErrors = Partial<Record<DraftField, string>>;

const DAY_MS = 86_400_000;

/** What a new key begins as. */
export const NEW_KEY: KeyDraft = {
  name: "",
  scopes: ["inference", "read"],
  expiry: "never",
  date: "",
  requestsPerMinute: "",
  budgetLimit: "",
  budgetPeriod: "month",
  models: [],
  ips: "",
  origins: "",
  safety: undefined,
};

/** A key's terms, to be changed. */
export function draftOf(key: Key): KeyDraft {
  return {
    name: key.name,
    scopes: key.scopes,
    expiry: key.expires_at === null ? "never" : "keep",
    date: "",
    requestsPerMinute: key.requests_per_minute === null ? "" : String(key.requests_per_minute),
    budgetLimit: key.budget === null ? "" : plainDecimal(key.budget.limit),
    budgetPeriod: key.budget?.period ?? "month",
    models: key.models ?? [],
    ips: key.ips?.join("\n") ?? "",
    origins: key.origins?.join("\n") ?? "",
    safety: key.safety === null ? undefined : rulesDraftOf(key.safety),
  };
}

/** What is wrong with a draft, by field; the server looks again. */
export function errorsOf(draft: KeyDraft, now: number): DraftErrors {
  const errors: DraftErrors = {};
  const name = draft.name.trim();
  if (name === "") errors.name = texts.keys.errors.nameMissing;
  else if (name.length > 128) errors.name = texts.keys.errors.nameLong;
  if (draft.scopes.length === 0) errors.scopes = texts.keys.errors.noScope;
  if (draft.expiry === "date") {
    const end = endOfDay(draft.date);
    if (end === undefined) errors.date = texts.keys.errors.noDate;
    else if (end.getTime() <= now) errors.date = texts.keys.errors.pastDate;
  }
  const rate = draft.requestsPerMinute.trim();
  if (rate !== "" && !(/^\d{1,8}$/.test(rate) && Number(rate) >= 1 && Number(rate) <= 10_000_000))
    errors.requestsPerMinute = texts.keys.errors.requestsPerMinute;
  const limit = draft.budgetLimit.trim();
  if (limit !== "" && amountOf(limit) === undefined) errors.budgetLimit = texts.keys.errors.budget;
  const wrong = wrongRangeOf(draft.ips);
  if (wrong !== undefined) errors.ips = wrong;
  const wrongOrigin = wrongOriginOf(draft.origins);
  if (wrongOrigin !== undefined) errors.origins = wrongOrigin;
  if (draft.safety !== undefined && hasErrors(wrongRulesIn(draft.safety))) errors.safety = texts.keys.errors.safety;
  return errors;
}

/** What is wrong with the address ranges, said while they are typed. */
export function wrongRangeOf(text: string): string | undefined {
  const ranges = rangesOf(text);
  if (ranges.length > 100) return texts.keys.errors.manyRanges;
  const wrong = ranges.find((range) => !isIpRange(range));
  return wrong === undefined ? undefined : texts.keys.errors.range(wrong);
}

/** What is wrong with the sites, said while they are typed. */
export function wrongOriginOf(text: string): string | undefined {
  const origins = rangesOf(text);
  if (origins.length > 100) return texts.keys.errors.manySites;
  const wrong = origins.find((origin) => origin !== "*" && !ORIGIN.test(origin));
  return wrong === undefined ? undefined : texts.keys.errors.site(wrong);
}

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?[^\s/*?#@,]+$/i;

/** What the server is sent for a draft without errors. `keeps` is when the key ends now. */
export function bodyOf(draft: KeyDraft, now: number, keeps: string | null = null): Body {
  const ranges = rangesOf(draft.ips);
  const origins = rangesOf(draft.origins);
  const limit = amountOf(draft.budgetLimit.trim());
  return {
    name: draft.name.trim(),
    scopes: draft.scopes,
    expires_at: endOf(draft, now, keeps),
    requests_per_minute: draft.requestsPerMinute.trim() === "" ? null : Number(draft.requestsPerMinute.trim()),
    budget: limit === undefined ? null : { limit, period: draft.budgetPeriod },
    models: draft.models.length === 0 ? null : draft.models,
    ips: ranges.length === 0 ? null : ranges,
    origins: origins.length === 0 ? null : origins,
    safety: safetyOf(draft.safety),
  };
}

/** Rules that say nothing are none. */
function safetyOf(draft: RulesDraft | undefined): Rules | null {
  const rules = draft === undefined ? {} : rulesOf(draft);
  return Object.keys(rules).length === 0 ? null : rules;
}

/** Only the fields that differ: the audit log should show what changed, not all that was sent. */
export function changesOf(key: Key, draft: KeyDraft, now: number): Partial<Body> {
  const body = bodyOf(draft, now, key.expires_at);
  // Rules are compared as this form writes them.
  // An empty list can be set by the API alone: the form shows it as nothing, and leaves it.
  const before = {
    ...key,
    origins: key.origins?.length === 0 ? null : key.origins,
    safety: safetyOf(draftOf(key).safety),
  };
  const isSame = (field: keyof Body) => JSON.stringify(body[field]) === JSON.stringify(before[field]);
  return Object.fromEntries(Object.entries(body).filter(([field]) => !isSame(field as keyof Body)));
}

const FIELDS: ReadonlyMap<string, DraftField> = new Map([
  ["name", "name"],
  ["scopes", "scopes"],
  ["expires_at", "date"],
  ["requests_per_minute", "requestsPerMinute"],
  ["budget", "budgetLimit"],
  ["models", "models"],
  ["ips", "ips"],
  ["origins", "origins"],
  ["safety", "safety"],
]);

/** Which field the server found fault with, by the name it has there. */
export function fieldOf(param: string | undefined): DraftField | undefined {
  const [first = ""] = (param ?? "").split(/[.[]/);
  return FIELDS.get(first);
}

/** The search term. A pasted whole key becomes its hint: the secret must not leave the page. */
export function searchOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  return /^tl_\w{17,}$/.test(trimmed) ? `${trimmed.slice(0, 6)}…${trimmed.slice(-4)}` : trimmed.slice(0, 128);
}

function endOf({ expiry, date }: KeyDraft, now: number, keeps: string | null): string | null {
  if (expiry === "never") return null;
  if (expiry === "keep") return keeps;
  if (expiry === "date") return endOfDay(date)?.toISOString() ?? null;
  return new Date(now + Number(expiry) * DAY_MS).toISOString();
}

/** The last moment of a day on this device's clock. */
function endOfDay(date: string): Date | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return undefined;
  const end = new Date(`${date}T23:59:59.999`);
  return Number.isNaN(end.getTime()) ? undefined : end;
}

function rangesOf(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
}

/** An amount as it was typed: nothing is rounded on the way. */
function amountOf(text: string): number | undefined {
  if (!/^\d{1,10}([.,]\d{1,9})?$/.test(text)) return undefined;
  const amount = Number(text.replace(",", "."));
  return amount <= 1_000_000_000 ? amount : undefined;
}

/** A number without an exponent: 1e-9 is 0.000000001. */
function plainDecimal(value: number): string {
  return value.toFixed(9).replace(/\.?0+$/, "");
}
