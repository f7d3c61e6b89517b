/** What a model accepts in the Messages API: newer Claude models refuse fields that older ones needed. */
export interface ClaudeCapabilities {
  /** Whether temperature, top_p and top_k are accepted; "one": at most one of temperature and top_p. */
  readonly sampling: "all" | "one" | "none";
  /** Whether a JSON schema can be enforced for answers and tool inputs. */
  readonly structuredOutput: boolean;
  /** How thinking is requested: by a budget of tokens, by either, by an effort only, or not at all. */
  readonly thinking: "budget" | "either" | "effort" | "never";
  /** It thinks even when told not to. */
  readonly alwaysThinks: boolean;
  /** Whether a tool call can be forced. */
  readonly forcedToolChoice: boolean;
  /** Whether instructions are accepted between the turns of a conversation. */
  readonly systemMessages: boolean;
}

/** For models of other vendors in this format: only what it has had from the start. */
const NON_CLAUDE_CAPABILITIES: ClaudeCapabilities = {
  sampling: "all",
  structuredOutput: false,
  thinking: "budget",
  alwaysThinks: false,
  forcedToolChoice: true,
  systemMessages: false,
};

/** A Claude with an unknown version is taken for one of the newest. */
const NEWEST_GENERATION = 500;

/**
 * What a model accepts, from the provider's name for it, such as `claude-sonnet-4-5` or
 * `us.anthropic.claude-opus-4-8-v1:0`.
 */
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

/** 405 for version 4.5; undefined where it is no Claude. */
function generationOf(name: string): number | undefined {
  if (!/claude/i.test(name)) return undefined;
  if (/claude-instant/i.test(name)) return 100;
  const [, major, minor = "0"] =
    /claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/i.exec(name) ??
    /claude-v?(\d{1,2})(?:[-.:](\d{1,2}))?(?!\d)/i.exec(name) ??
    [];
  return major === undefined ? NEWEST_GENERATION : Number(major) * 100 + Number(minor);
}
