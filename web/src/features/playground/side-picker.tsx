import type { Offer } from "../../api/catalogue.ts";
import { priceLines } from "../../api/pricing.ts";
import { Combobox } from "../../ui/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { formatMoney } from "../../ui/format.ts";
import { Select } from "../../ui/select.tsx";
import { typesFor } from "./fitting-models.ts";
import { kindOf, ROUTES, type Route, type Side } from "./settings.ts";

const ROUTE_WORDS: Readonly<Record<Route, string>> = {
  auto: "As the organisation has it",
  "cost-optimized": "Lowest cost",
  "speed-optimized": "Fastest",
  "quality-optimized": "Best quality",
  hybrid: "Balanced",
  cascade: "Cascade, cheapest first",
};

interface SidePickerProps {
  /** Names the side where there are two. */
  readonly name: "Left" | "Right" | undefined;
  readonly side: Side;
  readonly onChange: (side: Side) => void;
  readonly task: string;
  readonly offers: readonly Offer[];
}

/** Which model answers, or how it is chosen. */
export function SidePicker({ name, side, onChange, task, offers }: SidePickerProps) {
  const suited = offers.filter(({ type }) => typesFor(task).includes(type));
  const prefix = name === undefined ? "" : `${name}: `;
  return (
    <>
      <Field label={`${prefix}${name === undefined ? "Model" : "model"}`}>
        <Combobox
          value={side.model}
          onValueChange={(model) => onChange({ ...side, model })}
          searchPlaceholder="Search models"
          emptyText="No model of this kind fits."
          options={[
            { value: "auto", label: "auto", description: "The routing chooses the best that fits." },
            ...suited.map((offer) => ({
              value: offer.full_name,
              label: offer.full_name,
              description: describePrice(offer),
            })),
          ]}
        />
      </Field>
      <Field label={`${prefix}${name === undefined ? "Strategy" : "strategy"}`}>
        <Select<Route>
          value={side.route === "cascade" && kindOf(task) !== "text" ? "auto" : side.route}
          onValueChange={(route) => onChange({ ...side, route })}
          options={ROUTES.filter((route) => route !== "cascade" || kindOf(task) === "text").map((route) => ({
            value: route,
            label: ROUTE_WORDS[route],
          }))}
        />
      </Field>
    </>
  );
}

function describePrice({ pricing }: Offer): string {
  const lines = priceLines(pricing);
  if (lines.length === 0) return "Free";
  return lines.map((line) => `${formatMoney(line.credits)} ${line.label.toLowerCase()} per ${line.per}`).join(", ");
}
