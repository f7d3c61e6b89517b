import { language, setLocale } from "../ui/locale.ts";
import { chosenLanguages, type Language, languageFor } from "./choose-language.ts";
import type { Texts } from "./en/index.ts";

/** Each language is loaded only where it is shown. */
const LOADERS: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import("./en/index.ts")).english,
  de: async () => (await import("./de/index.ts")).german,
  es: async () => (await import("./es/index.ts")).spanish,
  ja: async () => (await import("./ja/index.ts")).japanese,
  zh: async () => (await import("./zh/index.ts")).chinese,
};

/** The texts of one language. */
export function textsOf(language: Language): Promise<Texts> {
  return LOADERS[language]();
}

/**
 * The texts of the language that is shown. Modules that are loaded with the first page read them in functions, never
 * while they are loaded: the language is not known yet.
 */
export const texts = {} as Texts;

/** Whether the page is in English, as the API's own messages are. */
export function isEnglish(): boolean {
  return language() === "en";
}

/** Loads the texts of the language that was chosen here, or else of the browser's. Before anything is shown. */
export async function loadTexts(): Promise<void> {
  const { language, locale } = languageFor(chosenLanguages());
  document.documentElement.lang = language;
  setLocale(language, locale);
  Object.assign(texts, await textsOf(language));
}
