import { setLocale } from "../ui/locale.ts";
import { chosenLanguages, type Language, languageFor } from "./choose-language.ts";
import { english } from "./en/index.ts";

/** Every text that a person reads, in one language. English is the model: the others have exactly its entries. */
export type Texts = typeof english;

/** Where the texts of the other languages come from. */
const LOADERS: Readonly<Partial<Record<Language, () => Promise<Texts>>>> = {};

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
  const load = LOADERS[language];
  if (load !== undefined) Object.assign(texts, await load());
}
