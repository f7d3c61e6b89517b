import { english } from "./en/index.ts";
import { texts } from "./texts.ts";

// A browser loads its language before the app. Tests are in English.
Object.assign(texts, english);
