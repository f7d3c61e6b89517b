import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { RadioGroup } from "../../ui/radio-group.tsx";
import { nameOf, STRATEGIES, type Strategy } from "./strategies.ts";

const TEXTS = texts.routing.page;

export interface StrategyCardsProps {
  readonly value: Strategy;
  readonly saved: Strategy;
  readonly onValueChange: (strategy: Strategy) => void;
}

/** The four strategies, each with what it does. */
export function StrategyCards({ value, saved, onValueChange }: StrategyCardsProps) {
  return (
    <RadioGroup
      label={TEXTS.strategy}
      hideLabel
      columns={2}
      value={value}
      onValueChange={onValueChange}
      options={STRATEGIES.map((strategy) => ({
        value: strategy,
        label: (
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            {nameOf(strategy)}
            {strategy === saved && <Badge tone="accent">{TEXTS.inUse}</Badge>}
          </span>
        ),
        description: TEXTS.strategies[strategy].text,
      }))}
    />
  );
}
