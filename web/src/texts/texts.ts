import { setLocale } from "../ui/locale.ts";
import { chosenLanguages, type Language, languageFor } from "./choose-language.ts";
import { english } from "./en/index.ts";

/** Every text that a person reads, in one language. English is the model: the others have exactly its entries. */
export type Texts = typeof english;

/** The texts of the other languages, each loaded only where it is shown. */
const LOADERS: Readonly<Record<Exclude<Language, "en">, () => Promise<Texts>>> = {
  de: async () => (await import("./de/index.ts")).german,
  es: async () => (await import("./es/index.ts")).spanish,
  ja: async () => (await import("./ja/index.ts")).japanese,
  zh: async () => (await import("./zh/index.ts")).chinese,
};

/** The texts of one language. */
export async function textsOf(language: Language): Promise<Texts> {
  return language === "en" ? english : await LOADERS[language]();
}

/**
 * The texts of the language that is shown. Modules that are loaded with the first page read them in functions, never
 * while they are loaded: the language is not known yet.
 */
export const texts: Texts = { ...english };

/** Loads the texts of the language that was chosen here, or else of the browser's. Before anything is shown. */
export async function loadTexts(): Promise<void> {
  const { language, locale } = languageFor(chosenLanguages());
  document.documentElement.lang = language;
  setLocale(language, locale);
  if (language !== "en") Object.assign(texts, await textsOf(language));
}
