import { texts } from "../../texts/texts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Field } from "../../ui/field.tsx";
import { formatCompact } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { NumberInput } from "../../ui/number-input.tsx";
import { hasFixedPrice, type ImportRow, lacksPrice } from "./import-draft.ts";

const TEXTS = texts.modelImport;

interface ImportRowProps {
  readonly row: ImportRow;
  readonly error: string | undefined;
  readonly onChange: (patch: Partial<ImportRow>) => void;
}

/** A model that was found: whether it is imported, under which name, and at which price. */
export function ImportRowView({ row, error, onChange }: ImportRowProps) {
  const { found, isChosen, name, input, output } = row;
  const { upstream_model: upstream, type, registered, context_window: context } = found;
  const isFixed = hasFixedPrice(found);
  return (
    <li className="grid gap-3 px-4 py-3 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)] lg:items-start">
      <div className="grid min-w-0 gap-1">
        <Checkbox
          label={<span className="wrap-anywhere">{upstream}</span>}
          checked={isChosen}
          disabled={registered}
          onCheckedChange={(isOn) => onChange({ isChosen: isOn })}
        />
        <span className="flex flex-wrap items-center gap-2 pl-7 text-sm text-muted">
          <Badge>{TEXTS.types[type]}</Badge>
          {context !== null && TEXTS.context(formatCompact(context))}
          {registered ? <Badge tone="positive">{TEXTS.registered}</Badge> : <PriceSource row={row} />}
        </span>
      </div>
      {isChosen && (
        <div className="grid gap-3 sm:grid-cols-3">
          <Field label={TEXTS.name} error={error}>
            <Input
              mono
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              maxLength={128}
              aria-label={TEXTS.nameOf(upstream)}
              value={name}
              onChange={(event) => onChange({ name: event.target.value })}
            />
          </Field>
          {isFixed ? (
            <p className="self-center text-sm text-muted">{TEXTS.fixed}</p>
          ) : (
            <>
              <Field label={TEXTS.input}>
                <NumberInput
                  value={input}
                  aria-label={TEXTS.inputOf(upstream)}
                  suffix="$"
                  onValueChange={(value) => onChange({ input: value })}
                />
              </Field>
              {type !== "embedding" && (
                <Field label={TEXTS.output}>
                  <NumberInput
                    value={output}
                    aria-label={TEXTS.outputOf(upstream)}
                    suffix="$"
                    onValueChange={(value) => onChange({ output: value })}
                  />
                </Field>
              )}
            </>
          )}
        </div>
      )}
    </li>
  );
}

/** Where the price is from, or that it is missing. */
function PriceSource({ row }: { readonly row: ImportRow }) {
  const { pricing_source: source } = row.found;
  if (source === "endpoint") return <span>{TEXTS.sourceEndpoint}</span>;
  if (source !== null) return <span>{TEXTS.source(source)}</span>;
  return lacksPrice(row) ? <span className="text-warning">{TEXTS.noPrice}</span> : null;
}
