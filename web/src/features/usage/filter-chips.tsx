import { X } from "lucide-react";
import { FILTERS, type UsageSearch } from "./usage-search.ts";

const WORDS = { model: "Model", provider: "Provider", key: "Key", task: "Task" } as const;

/** What the figures are narrowed to, each to be taken away again. */
export function FilterChips({
  search,
  onChange,
}: {
  readonly search: UsageSearch;
  readonly onChange: (part: Partial<Record<keyof UsageSearch, string | undefined>>) => void;
}) {
  return (
    <ul aria-label="Filters" className="flex flex-wrap gap-2">
      {FILTERS.flatMap((name) => {
        const value = search[name];
        if (value === undefined) return [];
        const shown = name === "key" ? `…${value.slice(-8)}` : value;
        return (
          <li key={name} className="min-w-0">
            <button
              type="button"
              onClick={() => onChange({ [name]: undefined })}
              aria-label={`Remove the filter ${WORDS[name]}: ${shown}`}
              className="flex h-8 max-w-full items-center gap-1.5 rounded-full border border-line-strong bg-surface px-3 text-sm hover:bg-hover"
            >
              <span className="text-muted">{WORDS[name]}</span>
              <span className="truncate font-medium">{shown}</span>
              <X aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
