/** Identifiers are words joined together; keys are not. */
const JOINED_WORDS = /^(?:[A-Za-z]{1,24}\d{0,3}|\d{1,8})(?:[-_.](?:[A-Za-z]{1,24}\d{0,3}|\d{1,8}))*$/;
const CAMEL_CASE_NAME = /^[a-z]{0,16}(?:[A-Z][a-z]{2,16}){2,12}\d{0,2}$/;
const DATE_AND_TIME = /^\d{4}-?\d{2}-?\d{2}/;

/** Whether a long word looks randomly generated. */
export function isKeyLike(word: string): boolean {
  if (!/\d/.test(word) || !/[A-Za-z]/.test(word)) return false;
  if (JOINED_WORDS.test(word) || CAMEL_CASE_NAME.test(word) || DATE_AND_TIME.test(word)) return false;
  return entropyOf(word) >= 3;
}

/** The Shannon entropy in bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<number, number>();
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  let entropy = 0;
  for (const count of counts.values()) {
    const share = count / text.length;
    entropy -= share * Math.log2(share);
  }
  return entropy;
}

/** Published in the documentation of the vendors. */
const PUBLISHED_EXAMPLES: ReadonlySet<string> = new Set([
  "AKIAIOSFODNN7EXAMPLE",
  "AKIAI44QH8DHBEXAMPLE",
  "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
  "sk_test_BQokikJOvBiI2HlWgH4olfQ2",
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
]);

const PLACEHOLDER =
  /example|sample|dummy|placeholder|redacted|replace|your[_-]?|insert|change[_-]?me|todo|foobar|fake|xxxx|(.)\1{7}|\*{3}|\.{3}|…/i;

/** Whether a value is a published example or a placeholder. */
export function isExampleValue(value: string): boolean {
  return PUBLISHED_EXAMPLES.has(value) || PLACEHOLDER.test(value);
}
