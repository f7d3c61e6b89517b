import { Search, X } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { Offer } from "../../api/catalogue.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Combobox } from "../../ui/combobox.tsx";
import { cx } from "../../ui/cx.ts";
import { formatMoney } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import {
  countsOf,
  isFiltered,
  PRICE_BOUNDS,
  PRICES,
  type PriceRange,
  SORTS,
  type Sort,
  TYPES,
} from "./model-filters.ts";
import type { ModelSearchState } from "./use-model-search.ts";

const TEXTS = texts.models.filters;
const ANY = "any";

interface FilterBarProps {
  readonly offers: readonly Offer[];
  readonly state: ModelSearchState;
}

/** What the list is narrowed by. */
export function FilterBar({ offers, state: { search, change } }: FilterBarProps) {
  const types = useMemo(() => new Map(countsOf(offers.map(({ type }) => type)).map(pairOf)), [offers]);
  const providers = useMemo(() => countsOf(offers.map(({ provider }) => provider)), [offers]);
  const capabilities = useMemo(() => countsOf(offers.flatMap((offer) => offer.capabilities)), [offers]);
  return (
    <div role="search" aria-label={TEXTS.label} className="grid gap-3">
      <div className="grid grid-cols-2 gap-2 max-lg:[&>:first-child]:col-span-2 lg:grid-cols-[minmax(14rem,1fr)_11rem_11rem_9.5rem_12.5rem]">
        <SearchBox text={search.q ?? ""} onText={(q) => change({ q: q === "" ? undefined : q })} />
        <Combobox
          label={TEXTS.capability}
          value={search.capability ?? ANY}
          onValueChange={(value) => change({ capability: value === ANY ? undefined : value })}
          options={[{ value: ANY, label: TEXTS.anyCapability }, ...capabilities.map(optionOf)]}
        />
        <Combobox
          label={TEXTS.provider}
          value={search.provider ?? ANY}
          onValueChange={(value) => change({ provider: value === ANY ? undefined : value })}
          options={[{ value: ANY, label: TEXTS.anyProvider }, ...providers.map(optionOf)]}
        />
        <Select<PriceRange | typeof ANY>
          label={TEXTS.price}
          value={search.price ?? ANY}
          onValueChange={(value) => change({ price: value === ANY ? undefined : value })}
          options={[
            { value: ANY, label: TEXTS.anyPrice },
            ...PRICES.map((price) => ({ value: price, label: priceLabel(price) })),
          ]}
        />
        <Select<Sort>
          label={TEXTS.sort}
          value={search.sort ?? "name"}
          onValueChange={(sort) => change({ sort: sort === "name" ? undefined : sort })}
          options={SORTS.map((sort) => ({ value: sort, label: TEXTS.sorts[sort] }))}
        />
      </div>
      <div className="flex flex-wrap items-center gap-1.5">
        {TYPES.filter((type) => types.has(type)).map((type) => (
          <Chip
            key={type}
            isOn={search.type === type}
            onToggle={() => change({ type: search.type === type ? undefined : type })}
          >
            {texts.models.types[type]} <span className="font-normal">{types.get(type)}</span>
          </Chip>
        ))}
        <Chip
          isOn={search.price === "free"}
          onToggle={() => change({ price: search.price === "free" ? undefined : "free" })}
        >
          {TEXTS.free}
        </Chip>
        <Chip
          isOn={search.streaming === true}
          onToggle={() => change({ streaming: search.streaming ? undefined : true })}
        >
          {TEXTS.streaming}
        </Chip>
        {isFiltered(search) && (
          <Button
            size="sm"
            variant="ghost"
            icon={<X aria-hidden="true" />}
            onClick={() =>
              change({
                q: undefined,
                type: undefined,
                capability: undefined,
                provider: undefined,
                price: undefined,
                streaming: undefined,
              })
            }
          >
            {TEXTS.clear}
          </Button>
        )}
      </div>
    </div>
  );
}

function priceLabel(price: PriceRange): string {
  return TEXTS.prices[price](formatMoney(PRICE_BOUNDS.low), formatMoney(PRICE_BOUNDS.high));
}

function pairOf({ value, count }: { readonly value: string; readonly count: number }) {
  return [value, count] as const;
}

function optionOf({ value, count }: { readonly value: string; readonly count: number }) {
  return { value, label: TEXTS.option(value, count) };
}

/** What is typed is shown at once; the address follows. */
function SearchBox({ text, onText }: { readonly text: string; readonly onText: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const reported = useRef(text);
  useEffect(() => {
    // The address changed by itself, such as by the back button.
    if (text !== reported.current) setTyped(text);
    reported.current = text;
  }, [text]);
  function type(next: string) {
    setTyped(next);
    reported.current = next;
    onText(next);
  }
  return (
    <Input
      type="search"
      aria-label={TEXTS.search}
      placeholder={TEXTS.searchPlaceholder}
      icon={<Search aria-hidden="true" />}
      value={typed}
      onChange={(event) => type(event.target.value)}
    />
  );
}

interface ChipProps {
  readonly isOn: boolean;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

function Chip({ isOn, onToggle, children }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onToggle}
      className={cx(
        "inline-flex h-7 items-center gap-1 rounded-full border px-2.5 text-sm font-medium pointer-coarse:h-9",
        isOn
          ? "border-accent bg-accent-soft text-accent-text"
          : "border-line-strong bg-surface text-muted hover:text-text",
      )}
    >
      {children}
    </button>
  );
}
