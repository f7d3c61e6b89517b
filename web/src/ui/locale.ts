// The language and the locale that everything is written in. They are set once, before the app is loaded.

let current = { language: "en", locale: "en-US" };

export function setLocale(language: string, locale: string): void {
  current = { language, locale };
}

/** The language of the texts, such as `en`: plural forms follow it. */
export function language(): string {
  return current.language;
}

/** The locale of numbers and dates, such as `en-US`. */
export function locale(): string {
  return current.locale;
}
