import { editDistance } from "@trunkline/core/edit-distance.ts";
import { type Fields, invalidField } from "./fields.ts";

/** Bound the work for one body. Names beyond them are ignored, as unknown names are. */
const MAX_NAMES_LOOKED_AT = 64;
const MAX_NAME_LENGTH = 40;

/** A wrong letter in a shorter name makes another word: `cast` may be no `cost`. */
const MIN_LENGTH_FOR_ONE_MISTAKE = 5;
const MIN_LENGTH_FOR_TWO_MISTAKES = 8;

/**
 * Refuses an unknown name that is nearly a known one. Other unknown names are ignored, but a bound that is misspelt would
 * be ignored too, and the client would pay without noticing.
 */
export function refuseMisspeltNames(fields: Fields, known: ReadonlySet<string>, parent: string): void {
  let lookedAt = 0;
  for (const name in fields) {
    if (known.has(name) || fields[name] === undefined || fields[name] === null) continue;
    if (++lookedAt > MAX_NAMES_LOOKED_AT) return;
    const meant = nearestName(name, known);
    if (meant === undefined) continue;
    throw invalidField(`${parent}.${name}`, `\`${parent}\` has no field \`${name}\`. Did you mean \`${meant}\`?`);
  }
}

/** The known name that an unknown one surely stands for. */
function nearestName(name: string, known: ReadonlySet<string>): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const words = wordsOf(name);
  const sought = words.join("");
  const seekSorted = words.toSorted().join("");
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const ownWords = wordsOf(candidate);
    const own = ownWords.join("");
    let distance = distanceWithin(sought, own);
    // `cost_max`; `max_cost_usd`, which has all the words; `data_retention`, which lacks the unit.
    const isReordered = seekSorted === ownWords.toSorted().join("");
    const isLonger = ownWords.length > 1 && ownWords.every((word) => words.includes(word));
    const lacksUnit = words.length > 1 && sought === ownWords.slice(0, -1).join("");
    if (isReordered || isLonger || lacksUnit) distance = 0;
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

const SHORT_WORDS: ReadonlyMap<string, string> = new Map([
  ["maximum", "max"],
  ["minimum", "min"],
]);

/** `maxCost`, `max-cost`, `MAX_COST` and `maximum cost` are the same words. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => SHORT_WORDS.get(word) ?? word);
}

/** How many letters differ; infinite: too many for one to be taken for the other. A plural differs by nothing. */
function distanceWithin(sought: string, own: string): number {
  if (sought === own || sought === `${own}s` || `${sought}s` === own) return 0;
  const length = Math.min(sought.length, own.length);
  const allowed = length >= MIN_LENGTH_FOR_TWO_MISTAKES ? 2 : length >= MIN_LENGTH_FOR_ONE_MISTAKE ? 1 : 0;
  if (allowed === 0 || Math.abs(sought.length - own.length) > allowed) return Number.POSITIVE_INFINITY;
  const distance = editDistance(sought, own);
  return distance <= allowed ? distance : Number.POSITIVE_INFINITY;
}
