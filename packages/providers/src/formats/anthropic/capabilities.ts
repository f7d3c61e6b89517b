/** What one model takes of the Messages API: the newer Claude models refuse fields that the older ones needed. */
export interface ClaudeCapabilities {
  /** Whether temperature, top_p and top_k are taken; "one": at most one of temperature and top_p. */
  readonly sampling: "all" | "one" | "none";
  /** Whether an answer can be held to a JSON schema, and tools to theirs. */
  readonly structuredOutput: boolean;
  /** How thinking is asked for: by a budget of tokens, by either, by an effort alone, or not at all. */
  readonly thinking: "budget" | "either" | "effort" | "never";
  /** It thinks whatever it is told. */
  readonly alwaysThinks: boolean;
  /** Whether it can be made to call a tool. */
  readonly forcedToolChoice: boolean;
  /** Whether instructions may stand between the turns of a conversation. */
  readonly systemMessages: boolean;
}

/** Of models of other makers that are spoken to in this format: what it had from the beginning. */
const NON_CLAUDE_CAPABILITIES: ClaudeCapabilities = {
  sampling: "all",
  structuredOutput: false,
  thinking: "budget",
  alwaysThinks: false,
  forcedToolChoice: true,
  systemMessages: false,
};

/** A Claude without a number that we know is taken for one of the newest. */
const NEWEST_GENERATION = 500;

/** What a model takes, read off the provider's name for it, such as `claude-sonnet-4-5` or `us.anthropic.claude-opus-4-8-v1:0`. */
export function claudeCapabilitiesOf(name: string): ClaudeCapabilities {
  const generation = generationOf(name);
  if (generation === undefined) return NON_CLAUDE_CAPABILITIES;
  const alwaysThinks = /claude-(fable|mythos)-5/.test(name) || (generation >= 505 && /claude-(sonnet|opus)/.test(name));
  return {
    sampling: generation >= 407 ? "none" : generation >= 401 ? "one" : "all",
    structuredOutput: generation >= 401,
    thinking: thinkingOf(generation),
    alwaysThinks,
    forcedToolChoice: !(alwaysThinks && generation >= 501),
    systemMessages: generation >= 408,
  };
}

function thinkingOf(generation: number): ClaudeCapabilities["thinking"] {
  if (generation < 307) return "never";
  if (generation < 406) return "budget";
  return generation === 406 ? "either" : "effort";
}

/** Four hundred and five for 4.5; undefined where it is no Claude. */
function generationOf(name: string): number | undefined {
  if (!/claude/i.test(name)) return undefined;
  if (/claude-instant/i.test(name)) return 100;
  const [, major, minor = "0"] =
    /claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/i.exec(name) ??
    /claude-v?(\d{1,2})(?:[-.:](\d{1,2}))?(?!\d)/i.exec(name) ??
    [];
  return major === undefined ? NEWEST_GENERATION : Number(major) * 100 + Number(minor);
}
