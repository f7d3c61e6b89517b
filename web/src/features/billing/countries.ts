import { language } from "../../ui/locale.ts";

/** Regions that have a code but no post: groups, reserves, and the locale data's own. */
const NO_COUNTRIES = new Set("AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ".split(" "));

export interface Country {
  readonly code: string;
  readonly name: string;
}

let known: readonly Country[] | undefined;

/** Every country that the browser has a name for, by name. */
export function listCountries(): readonly Country[] {
  known ??= findCountries();
  return known;
}

/** A country's name, or its code where the browser has no name for it. */
export function nameOfCountry(code: string): string {
  try {
    return new Intl.DisplayNames(language(), { type: "region" }).of(code) ?? code;
  } catch {
    // What is no code at all is shown as it is.
    return code;
  }
}

function findCountries(): readonly Country[] {
  const names = new Intl.DisplayNames(language(), { type: "region", fallback: "none" });
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .flatMap((code) => {
      // Codes of countries that are no more lead to their successors.
      const isCurrent = Intl.getCanonicalLocales(`und-${code}`)[0] === `und-${code}`;
      const name = isCurrent && !NO_COUNTRIES.has(code) ? names.of(code) : undefined;
      return name === undefined ? [] : [{ code, name }];
    })
    .toSorted((one, other) => one.name.localeCompare(other.name, language()));
}
