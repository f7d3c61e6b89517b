import { locale } from "../../ui/locale.ts";

/** An amount of money that a card is charged, such as $25. */
export function showPrice(amount: number, currency: string): string {
  const digits = Number.isInteger(amount) ? { minimumFractionDigits: 0 } : {};
  return new Intl.NumberFormat(locale(), {
    style: "currency",
    currencyDisplay: "narrowSymbol",
    currency: currency.toUpperCase(),
    ...digits,
  }).format(amount);
}
