import { entropyOf } from "./entropy.ts";

/** Names of things are words put together, and a key is not. */
const JOINED_WORDS = /^(?:[A-Za-z]{1,24}\d{0,3}|\d{1,8})(?:[-_.](?:[A-Za-z]{1,24}\d{0,3}|\d{1,8}))*$/;
const CAMEL_CASE_NAME = /^[a-z]{0,16}(?:[A-Z][a-z]{2,16}){2,12}\d{0,2}$/;
const DATE_AND_TIME = /^\d{4}-?\d{2}-?\d{2}/;

/** Whether a long word looks made by a machine to be guessed by nobody. */
export function isKeyLike(word: string): boolean {
  if (!/\d/.test(word) || !/[A-Za-z]/.test(word)) return false;
  if (JOINED_WORDS.test(word) || CAMEL_CASE_NAME.test(word) || DATE_AND_TIME.test(word)) return false;
  return entropyOf(word) >= 3;
}
