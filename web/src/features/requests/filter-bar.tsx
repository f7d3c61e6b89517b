import { ListFilter, Search, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { formatDateTime } from "../../ui/format.ts";
import { Input } from "../../ui/input.tsx";
import { Popover } from "../../ui/popover.tsx";
import { Select } from "../../ui/select.tsx";
import { FilterForm } from "./filter-form.tsx";
import { FILTERS, type FilterName, filtersOf, isFilter, type RequestFilters } from "./request-search.ts";

const STATUSES = [
  { value: "any", label: "Any outcome" },
  { value: "ok", label: "Answered" },
  { value: "error", label: "Errors" },
  { value: "refused", label: "Refused (4xx)" },
  { value: "5xx", label: "Failed (5xx)" },
  { value: "499", label: "Client left (499)" },
];

const WORDS: Readonly<Record<FilterName, string>> = {
  status: "Status",
  model: "Model",
  provider: "Provider",
  key: "Key",
  task: "Task",
  error_type: "Error",
  min_cost: "Cost from",
  min_latency_ms: "Took from",
  feedback: "Feedback",
  from: "Since",
  to: "Until",
  id: "Id",
};

interface FilterBarProps {
  readonly search: RequestFilters;
  readonly onChange: (search: RequestFilters) => void;
}

/** What is looked for. All of it stands in the address, so that it can be shared. */
export function FilterBar({ search, onChange }: FilterBarProps) {
  const [isOpen, setIsOpen] = useState(false);
  const set = (name: FilterName, value: string | undefined) => onChange(withFilter(search, name, value));
  const chosen = FILTERS.filter((name) => search[name] !== undefined);
  const isKnownStatus = STATUSES.some(({ value }) => value === (search.status ?? "any"));
  return (
    <div className="grid min-w-0 gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <IdSearch key={search.id ?? ""} id={search.id} onSearch={(id) => set("id", id)} />
        <Select
          label="Outcome"
          value={search.status ?? "any"}
          onValueChange={(value) => set("status", value === "any" ? undefined : value)}
          options={
            isKnownStatus
              ? STATUSES
              : [...STATUSES, { value: search.status ?? "any", label: `Status ${search.status}` }]
          }
          className="w-44"
        />
        <Popover
          label="Filters"
          open={isOpen}
          onOpenChange={setIsOpen}
          trigger={<Button icon={<ListFilter aria-hidden="true" />}>Filters</Button>}
          className="max-h-(--radix-popover-content-available-height) w-96 overflow-y-auto"
        >
          <FilterForm
            search={search}
            onApply={(next) => {
              onChange(next);
              setIsOpen(false);
            }}
          />
        </Popover>
      </div>
      {chosen.length > 0 && (
        <ul aria-label="Filters that are set" className="flex flex-wrap gap-2">
          {chosen.map((name) => (
            <li key={name} className="min-w-0">
              <button
                type="button"
                onClick={() => set(name, undefined)}
                aria-label={`Remove the filter ${WORDS[name]}: ${writeFilter(name, search[name] ?? "")}`}
                className="flex h-8 max-w-full items-center gap-1.5 rounded-full border border-line-strong bg-surface px-3 text-sm hover:bg-hover"
              >
                <span className="text-muted">{WORDS[name]}</span>
                <span className="truncate font-medium">{writeFilter(name, search[name] ?? "")}</span>
                <X aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
              </button>
            </li>
          ))}
          <li>
            <Button variant="ghost" size="sm" onClick={() => onChange({})}>
              Clear all
            </Button>
          </li>
        </ul>
      )}
    </div>
  );
}

function IdSearch({
  id,
  onSearch,
}: {
  readonly id: string | undefined;
  readonly onSearch: (id: string | undefined) => void;
}) {
  const [text, setText] = useState(id ?? "");
  const trimmed = text.trim().toLowerCase();
  const isWrong = trimmed !== "" && !isFilter("id", trimmed);
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWrong) onSearch(trimmed === "" ? undefined : trimmed);
      }}
      className="w-72 max-sm:w-full"
    >
      <Input
        type="search"
        icon={<Search aria-hidden="true" />}
        aria-label="Find a request by its id"
        placeholder="Find by request id"
        value={text}
        onChange={(event) => setText(event.target.value)}
        {...(isWrong && trimmed.length >= 36 ? { "aria-invalid": true as const } : {})}
      />
    </form>
  );
}

/** The search with one filter changed or taken away. */
export function withFilter(search: RequestFilters, name: FilterName, value: string | undefined): RequestFilters {
  const { [name]: _, ...rest } = search;
  return value === undefined ? rest : filtersOf({ ...rest, [name]: value });
}

function writeFilter(name: FilterName, value: string): string {
  switch (name) {
    case "key":
    case "id":
      return `…${value.slice(-8)}`;
    case "min_cost":
      return `${value} credits`;
    case "min_latency_ms":
      return `${value} ms`;
    case "feedback":
      return value === "any" ? "given" : value;
    case "from":
    case "to":
      return value.includes("T") ? formatDateTime(value) : value;
    default:
      return value;
  }
}
