import { RadioGroup } from "radix-ui";
import { useId } from "react";
import { texts } from "../texts/texts.ts";
import { Badge } from "../ui/badge.tsx";
import { cx } from "../ui/cx.ts";
import type { Preset, RulesDraft } from "./safety-draft.ts";
import { actionWords } from "./safety-words.ts";

/** Whose rules hold where a level sets none. */
export type LevelBelow = keyof typeof texts.safety.levels;

export interface PresetCardsProps {
  readonly value: RulesDraft["preset"];
  readonly below: LevelBelow;
  readonly disabled: boolean;
  readonly onChange: (preset: RulesDraft["preset"]) => void;
  /** Tries an example; undefined: there is no place to try it, and no examples are shown. */
  readonly onTry: ((prompt: string) => void) | undefined;
}

const PRESETS = ["inherit", "balanced", "strict", "off"] as const;

/** The presets, each with what it is for and what it does about some prompts. */
export function PresetCards({ value, below, disabled, onChange, onTry }: PresetCardsProps) {
  const id = useId();
  const words = texts.safety.preset;
  return (
    <RadioGroup.Root
      aria-label={words.title}
      value={value}
      disabled={disabled}
      onValueChange={(chosen) => onChange(PRESETS.find((known) => known === chosen) ?? "inherit")}
      className={cx("grid gap-3", onTry !== undefined && "sm:grid-cols-2")}
    >
      {PRESETS.map((preset) => (
        <div
          key={preset}
          className="relative grid content-start gap-2 rounded-lg border border-line-strong bg-surface p-4 has-data-[state=checked]:border-accent has-data-[state=checked]:bg-accent-soft"
        >
          <label
            htmlFor={`${id}-${preset}`}
            className="flex items-center gap-2.5 font-medium after:absolute after:inset-0 after:content-['']"
          >
            <RadioGroup.Item
              id={`${id}-${preset}`}
              value={preset}
              aria-describedby={`${id}-${preset}-text`}
              className="relative z-10 flex size-4.5 shrink-0 items-center justify-center rounded-full border border-edge bg-surface data-[state=checked]:border-accent data-[state=checked]:bg-accent"
            >
              <RadioGroup.Indicator className="size-2 rounded-full bg-on-accent" />
            </RadioGroup.Item>
            {preset === "inherit" ? texts.safety.levels[below] : words.names[preset]}
          </label>
          <p id={`${id}-${preset}-text`} className="text-sm text-muted">
            {preset === "inherit" ? words.inherit : words.texts[preset]}
          </p>
          {preset !== "inherit" && onTry !== undefined && <Examples preset={preset} onTry={onTry} />}
        </div>
      ))}
    </RadioGroup.Root>
  );
}

interface ExamplesProps {
  readonly preset: Preset;
  readonly onTry: (prompt: string) => void;
}

function Examples({ preset, onTry }: ExamplesProps) {
  const words = texts.safety.preset;
  return (
    <ul className="grid gap-1.5 text-sm">
      {preset === "off" && (
        <li className="flex items-start gap-2">
          <ActionBadge action="refuse" />
          <span>{words.always}</span>
        </li>
      )}
      {texts.safety.examples[preset].map(({ action, prompt }) => (
        <li key={prompt} className="flex items-start gap-2">
          <ActionBadge action={action} />
          <button
            type="button"
            aria-label={words.tryExample(prompt)}
            onClick={() => onTry(prompt)}
            className="relative z-10 min-w-0 rounded-sm text-left hover:underline"
          >
            “{prompt}”
          </button>
        </li>
      ))}
    </ul>
  );
}

function ActionBadge({ action }: { readonly action: Parameters<typeof actionWords>[0] }) {
  const { does, tone } = actionWords(action);
  return (
    <span className="w-18 shrink-0">
      <Badge tone={tone}>{does}</Badge>
    </span>
  );
}
