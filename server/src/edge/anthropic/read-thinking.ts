import { EFFORTS, type Thinking } from "../../domain/inference.ts";
import { type Fields, readChoice, readInteger, readObject, readOptional } from "../../validate/fields.ts";

const ANTHROPIC_EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

export interface ReadThinking {
  readonly thinking?: Thinking;
  /** What only Anthropic itself has a word for. */
  readonly extras: Readonly<Record<string, unknown>>;
}

/** How much a model shall think. What our own words can't say goes along for providers of the same format. */
export function readThinking(body: Fields): ReadThinking {
  const given = readOptional(body.thinking, (value) => readObject(value, "thinking"));
  const config = readOptional(body.output_config, (value) => readObject(value, "output_config"));
  const effort = readOptional(config?.effort, (value) =>
    readChoice(value, "output_config.effort", ANTHROPIC_EFFORTS),
  );
  const told = effort === undefined ? {} : { effort: EFFORTS.find((known) => known === effort) ?? "xhigh" };
  const extras = effort === "max" ? { output_config: { effort } } : {};
  if (given === undefined) return effort === undefined ? { extras } : { thinking: told, extras };
  const type = readChoice(given.type, "thinking.type", ["enabled", "disabled", "adaptive", "between_tools"]);
  switch (type) {
    case "enabled":
      return {
        thinking: {
          ...told,
          budgetTokens: readInteger(given.budget_tokens, "thinking.budget_tokens", 1, 1_000_000),
        },
        extras: { ...extras, ...shownBy(given) },
      };
    case "disabled":
      return { thinking: { ...told, budgetTokens: 0 }, extras };
    default:
      return {
        ...(effort === undefined ? {} : { thinking: told }),
        extras: { ...extras, thinking: { type, ...shownBy(given).thinking } },
      };
  }
}

/** Whether thoughts are given out in short or not at all. */
function shownBy({ display }: Fields): { thinking?: { display: "summarized" | "omitted" } } {
  const shown = readOptional(display, (value) =>
    readChoice(value, "thinking.display", ["summarized", "omitted"] as const),
  );
  return shown === undefined ? {} : { thinking: { display: shown } };
}
