import { type Effort, TooMuchWork } from "./effort.ts";
import { isObject } from "./read-schema.ts";

const DEPTH_MAX = 400;

/** Whether two values are the same, whatever the order of their fields. It ends at the first difference. */
export function isSameJson(one: unknown, other: unknown, effort: Effort, depth = 0): boolean {
  if (typeof one === "string" && typeof other === "string" && one.length === other.length)
    effort.spend(one.length / 1_000);
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other;
  effort.spend(1);
  if (depth > DEPTH_MAX) throw new TooMuchWork();
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => isSameJson(item, other[index], effort, depth + 1))
    );
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  const others = Object.keys(other);
  effort.spend(names.length + others.length);
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name], effort, depth + 1))
  );
}

/** Whether a list holds a value twice: found by texts that are the same for the same value. */
export function hasTwice(list: readonly unknown[], effort: Effort): boolean {
  const seen = new Set<string>();
  return list.some((item) => seen.size === seen.add(textOf(item, effort, 0)).size);
}

function textOf(value: unknown, effort: Effort, depth: number): string {
  effort.spend(2);
  if (depth > DEPTH_MAX) throw new TooMuchWork();
  if (Array.isArray(value)) return `[${value.map((item) => textOf(item, effort, depth + 1)).join(",")}]`;
  if (!isObject(value)) return quote(value, effort);
  const names = Object.keys(value);
  effort.spend(names.length * 2);
  names.sort();
  return `{${names.map((name) => `${quote(name, effort)}:${textOf(value[name], effort, depth + 1)}`).join(",")}}`;
}

function quote(value: unknown, effort: Effort): string {
  if (typeof value === "string") effort.spend(value.length / 8);
  return JSON.stringify(value);
}
