/** Published in the vendors' own documentation, and nobody's. */
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

/** What stands where a key would stand, and opens nothing. */
export function isExampleValue(value: string): boolean {
  return PUBLISHED_EXAMPLES.has(value) || PLACEHOLDER.test(value);
}
