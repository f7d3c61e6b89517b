import { Plus, X } from "lucide-react";
import type { Offer } from "../../api/catalogue.ts";
import { priceLines } from "../../api/pricing.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Combobox } from "../../ui/combobox.tsx";
import { Field } from "../../ui/field.tsx";
import { formatMoney } from "../../ui/format.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { Select } from "../../ui/select.tsx";
import { MOST_COLUMNS, withColumn } from "./conversation.ts";
import { fittingModels } from "./fitting-models.ts";
import { type Column, ROUTES, type Route, type Settings } from "./settings.ts";

const { playground: words } = texts;

interface ColumnPickersProps {
  readonly settings: Settings;
  readonly offers: readonly Offer[];
  readonly onChange: (changes: Partial<Settings>) => void;
}

/** Which models answer: one, or up to four side by side. */
export function ColumnPickers({ settings, offers, onChange }: ColumnPickersProps) {
  const { columns } = settings;
  return (
    <div className="grid min-w-0 gap-3">
      {columns.map((column, index) => (
        <ColumnPicker
          key={column.id}
          column={column}
          number={columns.length > 1 ? index + 1 : undefined}
          settings={settings}
          offers={offers}
          onChange={(next) => onChange({ columns: columns.map((other) => (other === column ? next : other)) })}
          onRemove={() => onChange({ columns: columns.filter((other) => other !== column) })}
        />
      ))}
      {columns.length < MOST_COLUMNS && (
        <div>
          <Button
            size="sm"
            icon={<Plus aria-hidden="true" />}
            onClick={() => onChange({ columns: withColumn(settings) })}
          >
            {columns.length === 1 ? words.compareModel : words.addModel}
          </Button>
        </div>
      )}
    </div>
  );
}

interface ColumnPickerProps {
  readonly column: Column;
  /** Where there are several. */
  readonly number: number | undefined;
  readonly settings: Settings;
  readonly offers: readonly Offer[];
  readonly onChange: (column: Column) => void;
  readonly onRemove: () => void;
}

function ColumnPicker({ column, number, settings, offers, onChange, onRemove }: ColumnPickerProps) {
  const { mode } = settings;
  const routes = ROUTES.filter((route) => route !== "cascade" || mode === "chat");
  return (
    <div className="flex min-w-0 items-end gap-2">
      <div className="grid min-w-0 grow gap-2 sm:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Field label={number === undefined ? words.model : words.modelNumber(number)} className="min-w-0">
          <Combobox
            value={column.model}
            onValueChange={(model) => onChange({ ...column, model })}
            searchPlaceholder={words.searchModels}
            emptyText={words.noFittingModel}
            options={[
              { value: "auto", label: words.autoModel, description: words.autoModelHint },
              ...fittingModels(mode, offers).map((offer) => ({
                value: offer.full_name,
                label: offer.full_name,
                description: describePrice(offer),
              })),
            ]}
          />
        </Field>
        <Field label={number === undefined ? words.strategy : words.strategyNumber(number)} className="min-w-0">
          <Select<Route>
            value={routes.includes(column.route) ? column.route : "auto"}
            onValueChange={(route) => onChange({ ...column, route })}
            options={routes.map((route) => ({ value: route, label: words.routes[route] }))}
          />
        </Field>
      </div>
      {number !== undefined && (
        <IconButton label={words.removeModel(number)} icon={<X aria-hidden="true" />} onClick={onRemove} />
      )}
    </div>
  );
}

function describePrice({ pricing }: Offer): string {
  const lines = priceLines(pricing);
  if (lines.length === 0) return words.free;
  return lines.map((line) => words.price(formatMoney(line.credits), line.label.toLowerCase(), line.per)).join(", ");
}
