import { type WorkBudget, WorkBudgetExceeded } from "./effort.ts";
import { isObject } from "./read-schema.ts";

const EQUALITY_DEPTH_MAX = 400;

/** Whether two values are the same, whatever the order of their fields. It ends at the first difference. */
export function jsonEquals(one: unknown, other: unknown, workBudget: WorkBudget, depth = 0): boolean {
  if (typeof one === "string" && typeof other === "string" && one.length === other.length)
    workBudget.spend(one.length / 1_000);
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other;
  workBudget.spend(1);
  if (depth > EQUALITY_DEPTH_MAX) throw new WorkBudgetExceeded();
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => jsonEquals(item, other[index], workBudget, depth + 1))
    );
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  const others = Object.keys(other);
  workBudget.spend(names.length + others.length);
  return (
    names.length === others.length &&
    names.every(
      (name) => Object.hasOwn(other, name) && jsonEquals(one[name], other[name], workBudget, depth + 1),
    )
  );
}

/** Whether a list holds a value twice: found by texts that are the same for the same value. */
export function hasDuplicates(list: readonly unknown[], workBudget: WorkBudget): boolean {
  const seen = new Set<string>();
  return list.some((item) => seen.size === seen.add(canonicalText(item, workBudget, 0)).size);
}

function canonicalText(value: unknown, workBudget: WorkBudget, depth: number): string {
  workBudget.spend(2);
  if (depth > EQUALITY_DEPTH_MAX) throw new WorkBudgetExceeded();
  if (Array.isArray(value))
    return `[${value.map((item) => canonicalText(item, workBudget, depth + 1)).join(",")}]`;
  if (!isObject(value)) return quote(value, workBudget);
  const names = Object.keys(value);
  workBudget.spend(names.length * 2);
  names.sort();
  return `{${names.map((name) => `${quote(name, workBudget)}:${canonicalText(value[name], workBudget, depth + 1)}`).join(",")}}`;
}

function quote(value: unknown, workBudget: WorkBudget): string {
  if (typeof value === "string") workBudget.spend(value.length / 8);
  return JSON.stringify(value);
}
