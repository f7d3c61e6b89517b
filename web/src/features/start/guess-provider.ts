/** How the keys of providers begin, the most telling first. */
const PREFIXES: readonly (readonly [prefix: string, provider: string])[] = [
  ["sk-ant-", "anthropic"],
  ["sk-or-", "openrouter"],
  ["gsk_", "groq"],
  ["xai-", "xai"],
  ["AIza", "google"],
  ["fw_", "fireworks"],
  ["pplx-", "perplexity"],
  ["tgp_", "together"],
  ["sk-proj-", "openai"],
  ["sk-", "openai"],
];

/** The provider that a pasted key is probably for, of those that there are. */
export function guessProvider(key: string, known: readonly string[]): string | undefined {
  const provider = PREFIXES.find(([prefix]) => key.trim().startsWith(prefix))?.[1];
  return provider !== undefined && known.includes(provider) ? provider : undefined;
}
