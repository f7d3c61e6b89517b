import { ListFilter, Search, X } from "lucide-react";
import { useState } from "react";
import { useZone } from "../../api/settings.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { formatDateTime, formatMoney, formatMs } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Popover } from "../../ui/popover.tsx";
import { Select } from "../../ui/select.tsx";
import { FILTERS, type FilterName, filtersOf, isFilter, type RequestFilters } from "./request-search.ts";
import { StorageHint } from "./storage-hint.tsx";
import { ViewsButton } from "./views-button.tsx";

const TEXTS = texts.requests.filters;

const FilterForm = lazyPart(() => import("./filter-form.tsx").then((module) => module.FilterForm));

const WORDS: Readonly<Record<FilterName, string>> = TEXTS.names;
const STATUSES: readonly { readonly value: string; readonly label: string }[] = (
  ["any", "ok", "error", "refused", "5xx", "499"] as const
).map((value) => ({ value, label: TEXTS.statuses[value] }));

interface FilterBarProps {
  readonly search: RequestFilters;
  readonly onChange: (search: RequestFilters) => void;
}

/** What is looked for. All of it stands in the address, so that it can be shared. */
export function FilterBar({ search, onChange }: FilterBarProps) {
  const [isOpen, setIsOpen] = useState(false);
  const zone = useZone();
  const set = (name: FilterName, value: string | undefined) => onChange(withFilter(search, name, value));
  const chosen = FILTERS.filter((name) => search[name] !== undefined);
  const isKnownStatus = STATUSES.some(({ value }) => value === (search.status ?? "any"));
  return (
    <div className="grid min-w-0 gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <SearchBox
          key={search.id ?? search.text ?? ""}
          search={search}
          onSearch={(found) => {
            const { id: _id, text: _text, ...rest } = search;
            onChange(filtersOf({ ...rest, ...found }));
          }}
        />
        <Select
          label={TEXTS.statusLabel}
          value={search.status ?? "any"}
          onValueChange={(value) => set("status", value === "any" ? undefined : value)}
          options={
            isKnownStatus
              ? STATUSES
              : [...STATUSES, { value: search.status ?? "any", label: TEXTS.statusOther(String(search.status)) }]
          }
          className="w-44"
        />
        <Popover
          label={TEXTS.open}
          open={isOpen}
          onOpenChange={setIsOpen}
          trigger={<Button icon={<ListFilter aria-hidden="true" />}>{TEXTS.open}</Button>}
          className="max-h-(--radix-popover-content-available-height) w-96 overflow-y-auto"
        >
          <FilterForm
            search={search}
            zone={zone}
            onApply={(next) => {
              onChange(next);
              setIsOpen(false);
            }}
          />
        </Popover>
        <ViewsButton search={search} onApply={onChange} />
      </div>
      {search.text !== undefined && <StorageHint text={texts.requests.storageOff} />}
      {chosen.length > 0 && (
        <ul aria-label={TEXTS.active} className="flex flex-wrap gap-2">
          {chosen.map((name) => (
            <li key={name} className="min-w-0">
              <button
                type="button"
                onClick={() => set(name, undefined)}
                aria-label={TEXTS.remove(WORDS[name], writeFilter(name, search[name] ?? "", zone))}
                className="flex h-8 max-w-full items-center gap-1.5 rounded-full border border-line-strong bg-surface px-3 text-sm hover:bg-hover"
              >
                <span className="text-muted">{WORDS[name]}</span>
                <span className="truncate font-medium">{writeFilter(name, search[name] ?? "", zone)}</span>
                <X aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
              </button>
            </li>
          ))}
          <li>
            <Button variant="ghost" size="sm" onClick={() => onChange({})}>
              {TEXTS.clear}
            </Button>
          </li>
        </ul>
      )}
    </div>
  );
}

interface SearchBoxProps {
  readonly search: RequestFilters;
  readonly onSearch: (found: Pick<RequestFilters, "id" | "text">) => void;
}

/** An id finds the request, anything else what prompts and outputs contain. */
function SearchBox({ search, onSearch }: SearchBoxProps) {
  const [text, setText] = useState(search.id ?? search.text ?? "");
  const words = texts.requests.search;
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = text.trim();
        const id = wanted.toLowerCase();
        onSearch(wanted === "" ? {} : isFilter("id", id) ? { id } : { text: wanted });
      }}
      className="w-72 max-sm:w-full"
    >
      <Input
        type="search"
        icon={<Search aria-hidden="true" />}
        aria-label={words.label}
        placeholder={words.placeholder}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  );
}

/** The search with one filter changed or taken away. */
export function withFilter(search: RequestFilters, name: FilterName, value: string | undefined): RequestFilters {
  const { [name]: _, ...rest } = search;
  return value === undefined ? rest : filtersOf({ ...rest, [name]: value });
}

function writeFilter(name: FilterName, value: string, zone: string): string {
  switch (name) {
    case "key":
    case "id":
      return `…${value.slice(-8)}`;
    case "min_cost":
      return formatMoney(Number(value));
    case "min_latency_ms":
      return formatMs(Number(value));
    case "feedback":
      return value === "any" || value === "good" || value === "bad" ? TEXTS.feedback[value] : value;
    case "error_type":
      return texts.requests.errorTypes[value] ?? value;
    case "from":
    case "to":
      return value.includes("T") ? formatDateTime(value, zone) : value;
    default:
      return value;
  }
}
