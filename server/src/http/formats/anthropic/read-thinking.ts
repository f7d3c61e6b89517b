import { REASONING_EFFORTS, type Thinking } from "@trunkline/core/inference.ts";
import { type Fields, readChoice, readInteger, readObject, readOptional } from "../../requests/fields.ts";

const ANTHROPIC_EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;
/** What a model of Anthropic's takes for granted where it is left to itself how much it thinks. */
const DEFAULT_EFFORT = "high";
/** The most that there is a common word for. */
const HIGHEST_EFFORT = "xhigh";

/** How much a model shall think. What our own words can't say is named among what was dropped. */
export function readThinking(body: Fields, dropped: Set<string>): Thinking | undefined {
  const given = readOptional(body.thinking, (value) => readObject(value, "thinking"));
  const effort = readEffort(body, dropped);
  if (given === undefined) return effort === undefined ? undefined : { effort };
  if (given.display != null) dropped.add("thinking.display");
  const type = readChoice(given.type, "thinking.type", ["enabled", "disabled", "adaptive", "between_tools"]);
  switch (type) {
    case "enabled": {
      const budgetTokens = readInteger(given.budget_tokens, "thinking.budget_tokens", 1, 1_000_000);
      return effort === undefined ? { budgetTokens } : { effort, budgetTokens };
    }
    case "disabled":
      return { budgetTokens: 0 };
    case "between_tools":
      dropped.add("thinking.type");
      return { effort: effort ?? DEFAULT_EFFORT };
    case "adaptive":
      return { effort: effort ?? DEFAULT_EFFORT };
  }
}

function readEffort(body: Fields, dropped: Set<string>): Thinking["effort"] {
  const config = readOptional(body.output_config, (value) => readObject(value, "output_config"));
  const given = readOptional(config?.effort, (value) =>
    readChoice(value, "output_config.effort", ANTHROPIC_EFFORTS),
  );
  if (given === undefined) return undefined;
  const known = REASONING_EFFORTS.find((effort) => effort === given);
  if (known === undefined) dropped.add("output_config.effort");
  return known ?? HIGHEST_EFFORT;
}
