import { Search, X } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { Offer } from "../../api/catalogue.ts";
import { Button } from "../../ui/button.tsx";
import { Combobox } from "../../ui/combobox.tsx";
import { cx } from "../../ui/cx.ts";
import { Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import { countsOf, isFiltered, PRICES, type PriceRange, SORTS, type Sort, TYPES } from "./model-filters.ts";
import type { ModelSearchState } from "./use-model-search.ts";

const SORT_WORDS: Readonly<Record<Sort, string>> = {
  name: "By name",
  price: "Lowest price",
  quality: "Highest quality",
  latency: "Lowest latency",
  throughput: "Most tokens a second",
  newest: "Newest",
};
const PRICE_WORDS: Readonly<Record<PriceRange, string>> = {
  free: "Free",
  "under-0.001": "Under 0.001",
  "under-0.01": "Under 0.01",
  "over-0.01": "0.01 and more",
};
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
    <div role="search" aria-label="Models" className="grid gap-3">
      <div className="grid grid-cols-2 gap-2 max-lg:[&>:first-child]:col-span-2 lg:grid-cols-[minmax(14rem,1fr)_11rem_11rem_9.5rem_12.5rem]">
        <SearchBox text={search.q ?? ""} onText={(q) => change({ q: q === "" ? undefined : q })} />
        <Combobox
          label="Capability"
          value={search.capability ?? ANY}
          onValueChange={(value) => change({ capability: value === ANY ? undefined : value })}
          options={[{ value: ANY, label: "Any capability" }, ...capabilities.map(optionOf)]}
        />
        <Combobox
          label="Provider"
          value={search.provider ?? ANY}
          onValueChange={(value) => change({ provider: value === ANY ? undefined : value })}
          options={[{ value: ANY, label: "Any provider" }, ...providers.map(optionOf)]}
        />
        <Select<PriceRange | typeof ANY>
          label="Price per 1k tokens"
          value={search.price ?? ANY}
          onValueChange={(value) => change({ price: value === ANY ? undefined : value })}
          options={[
            { value: ANY, label: "Any price" },
            ...PRICES.map((price) => ({ value: price, label: PRICE_WORDS[price] })),
          ]}
        />
        <Select<Sort>
          label="Sort by"
          value={search.sort ?? "name"}
          onValueChange={(sort) => change({ sort: sort === "name" ? undefined : sort })}
          options={SORTS.map((sort) => ({ value: sort, label: SORT_WORDS[sort] }))}
        />
      </div>
      <div className="flex flex-wrap items-center gap-1.5">
        {TYPES.filter((type) => types.has(type)).map((type) => (
          <Chip
            key={type}
            isOn={search.type === type}
            onToggle={() => change({ type: search.type === type ? undefined : type })}
          >
            {type} <span className="font-normal">{types.get(type)}</span>
          </Chip>
        ))}
        <Chip
          isOn={search.price === "free"}
          onToggle={() => change({ price: search.price === "free" ? undefined : "free" })}
        >
          free
        </Chip>
        <Chip
          isOn={search.streaming === true}
          onToggle={() => change({ streaming: search.streaming ? undefined : true })}
        >
          streaming
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
            Clear filters
          </Button>
        )}
      </div>
    </div>
  );
}

function pairOf({ value, count }: { readonly value: string; readonly count: number }) {
  return [value, count] as const;
}

function optionOf({ value, count }: { readonly value: string; readonly count: number }) {
  return { value, label: `${value} (${count})` };
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
      aria-label="Search models"
      placeholder="Search by name, provider or ability"
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
