import { formatNumber } from "../ui/format.ts";
import { language } from "../ui/locale.ts";

/** A count with its noun, in the plural form of the language: `plural(1, { one: "key", other: "keys" })` is "1 key". */
export function plural(
  count: number,
  forms: Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string },
): string {
  return `${formatNumber(count)} ${pluralForm(count, forms)}`;
}

/** The noun alone, in the form that suits the count. */
export function pluralForm(
  count: number,
  forms: Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string },
): string {
  return forms[new Intl.PluralRules(language()).select(count)] ?? forms.other;
}
