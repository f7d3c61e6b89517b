import type { Scope } from "./key-draft.ts";

/** What each scope lets a key do, in the order in which they are offered. */
export const SCOPE_WORDS: readonly {
  readonly scope: Scope;
  readonly label: string;
  readonly words: string;
}[] = [
  { scope: "inference", label: "Inference", words: "Call models and spend from the balance." },
  { scope: "read", label: "Read", words: "See models, usage, requests, routing and the balance." },
  { scope: "manage", label: "Manage", words: "Manage keys, routing, webhooks and settings." },
  { scope: "billing", label: "Billing", words: "Add credits and see payments." },
  { scope: "provider", label: "Provider", words: "Register and change models of your own." },
  { scope: "admin", label: "Admin", words: "Do what only the operator of this service does." },
];

/** What a scope is called. */
export function scopeLabel(scope: Scope): string {
  return SCOPE_WORDS.find((entry) => entry.scope === scope)?.label ?? scope;
}

/** How long a budget lasts. */
export const PERIOD_WORDS = {
  day: "a day",
  week: "a week",
  month: "a month",
  total: "in total",
} as const;
