import { useId } from "react";
import { texts } from "../../texts/texts.ts";
import { formatPercent } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { MEASURES, type Shares, withShare } from "./weights.ts";

const TEXTS = texts.routing.weights;

export interface WeightInputsProps {
  readonly shares: Shares;
  readonly onSharesChange: (shares: Shares) => void;
}

/** The same three weights as sliders and numbers. What one takes, the other two give. */
export function WeightInputs({ shares, onSharesChange }: WeightInputsProps) {
  const id = useId();
  return (
    <fieldset className="grid content-center gap-3">
      <legend className="sr-only">{TEXTS.legend}</legend>
      {MEASURES.map((measure) => (
        <div key={measure} className="grid grid-cols-[4rem_minmax(0,1fr)_5.5rem] items-center gap-3">
          <label htmlFor={`${id}-${measure}`} className="text-sm font-medium">
            {TEXTS.names[measure]}
          </label>
          <input
            type="range"
            min={0}
            max={100}
            value={shares[measure]}
            aria-label={TEXTS.nameSlider[measure]}
            aria-valuetext={formatPercent(shares[measure] / 100)}
            onChange={(event) => onSharesChange(withShare(shares, measure, Number(event.target.value)))}
            className="h-6 w-full min-w-0 cursor-pointer accent-accent"
          />
          <Input
            id={`${id}-${measure}`}
            inputMode="numeric"
            autoComplete="off"
            suffix="%"
            value={String(shares[measure])}
            onChange={(event) => {
              const digits = event.target.value.replace(/\D/g, "");
              if (digits.length <= 3) onSharesChange(withShare(shares, measure, Number(digits)));
            }}
          />
        </div>
      ))}
    </fieldset>
  );
}
