import { useId } from "react";
import { Input } from "../../ui/input.tsx";
import { MEASURES, type Measure, type Shares, withShare } from "./weights.ts";

const NAMES: Readonly<Record<Measure, string>> = { cost: "Cost", speed: "Speed", quality: "Quality" };

export interface WeightInputsProps {
  readonly shares: Shares;
  readonly onSharesChange: (shares: Shares) => void;
  readonly disabled: boolean;
}

/** The same three weights as sliders and numbers. What one takes, the other two give. */
export function WeightInputs({ shares, onSharesChange, disabled }: WeightInputsProps) {
  const id = useId();
  return (
    <fieldset disabled={disabled} className="grid gap-2 disabled:opacity-60">
      <legend className="sr-only">Weights in percent</legend>
      {MEASURES.map((measure) => (
        <div key={measure} className="grid grid-cols-[4rem_minmax(0,1fr)_5.5rem] items-center gap-3">
          <label htmlFor={`${id}-${measure}`} className="text-sm font-medium">
            {NAMES[measure]}
          </label>
          <input
            type="range"
            min={0}
            max={100}
            value={shares[measure]}
            aria-label={`${NAMES[measure]}, slider`}
            aria-valuetext={`${shares[measure]} percent`}
            onChange={(event) => onSharesChange(withShare(shares, measure, Number(event.target.value)))}
            className="h-6 w-full min-w-0 cursor-pointer accent-accent disabled:cursor-not-allowed"
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
