import { groupNearDuplicates } from "@trunkline/core/group-alike.ts";
import type { Row } from "./rows.ts";

/** Sources that are kept from the training together. Each fold has something of every kind. */
const FOLDS: readonly RegExp[] = [
  /neuralchemy|clinc|awesome-chatgpt|red-instruct|t-davidson|ours: templates x trigger|NeMo|Portkey/,
  /tensor-trust|GPTeacher|natural-questions|multilingual-safety|edos|vercel|surge/,
  /jailbreak_llms|GPTFuzz|dstc8|llm-attacks|toxic_spans|ours: templates x topics|promptfoo/,
  /XSafety|nl2bash|T0\/P3 sample|Vicomtech|TOXIGEN/,
  /ours: (?:requests|harm|documents)|garak|Giskard|unintended/,
  /wildjailbreak|public docs|FuzzyAI|glaive|self-instruct|litellm|trpc|FastChat|LLaMA-Factory|xquad/,
];

export const FOLD_COUNT = FOLDS.length;

export function foldOf({ source }: Row): number {
  if (source.startsWith("public docs")) return 5;
  const found = FOLDS.findIndex((pattern) => pattern.test(source));
  if (found < 0) throw new Error(`No fold holds ${source}.`);
  return found;
}

/** For each fold, the rows that must not be taught: its own, and what is nearly the same as one of its own. */
export function createFoldFilter(rows: readonly Row[]): (fold: number, row: number) => boolean {
  const groups = groupNearDuplicates(
    rows.map(({ text }) => text),
    /[\p{L}\p{N}]+/gu,
  );
  const folds = rows.map(foldOf);
  const foldsOfGroup = new Map<number, Set<number>>();
  for (const [row, group] of groups.entries()) {
    foldsOfGroup.set(group, (foldsOfGroup.get(group) ?? new Set()).add(folds[row] ?? 0));
  }
  return (fold, row) => foldsOfGroup.get(groups[row] ?? 0)?.has(fold) ?? false;
}
