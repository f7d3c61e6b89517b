/** The languages there are, by what each calls itself. */
export const LANGUAGES = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  ja: "日本語",
  zh: "简体中文",
} as const;

export type Language = keyof typeof LANGUAGES;

const TAGS = Object.keys(LANGUAGES) as Language[];
const CHOICE = "language";

/** The first wanted language that there is, and the locale that fits it. */
export function languageFor(wanted: readonly string[]): { readonly language: Language; readonly locale: string } {
  for (const tag of wanted) {
    const language = TAGS.find((name) => name === tag.toLowerCase().split("-")[0]);
    if (language === undefined) continue;
    const regional = wanted.find((other) => other.toLowerCase().startsWith(`${language}-`));
    return { language, locale: regional ?? (language === "en" ? "en-US" : language) };
  }
  return { language: "en", locale: "en-US" };
}

/** What was chosen on this device, and then the browser's languages. */
export function chosenLanguages(): readonly string[] {
  try {
    const chosen = localStorage.getItem(CHOICE);
    return chosen === null ? navigator.languages : [chosen, ...navigator.languages];
  } catch {
    // Storage can be forbidden.
    return navigator.languages;
  }
}

/** What was chosen on this device; undefined: the browser's languages decide. */
export function chosenLanguage(): Language | undefined {
  try {
    const chosen = localStorage.getItem(CHOICE);
    return TAGS.find((tag) => tag === chosen);
  } catch {
    return undefined;
  }
}

/** Chooses a language on this device, and loads the page again in it. Undefined: the browser's languages decide. */
export function chooseLanguage(language: Language | undefined): void {
  try {
    if (language === undefined) localStorage.removeItem(CHOICE);
    else localStorage.setItem(CHOICE, language);
  } catch {
    // Storage can be forbidden: then the browser's languages go on deciding.
  }
  location.reload();
}
