import { type Dialect, trunklineDialect } from "./dialect.ts";

/** Every wire format that clients speak here. What is under none of their prefixes is a page, and needs no key. */
export const ALL_DIALECTS: readonly Dialect[] = [trunklineDialect];
