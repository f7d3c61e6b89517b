import { Check, ChevronDown, Search } from "lucide-react";
import { Popover } from "radix-ui";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { texts } from "../texts/texts.ts";
import { cx } from "./cx.ts";
import { useField, useFieldLabel } from "./field.tsx";
import type { Option } from "./select.tsx";

interface Shared<Value extends string> {
  readonly options: readonly Option<Value>[];
  readonly placeholder?: string;
  readonly searchPlaceholder?: string;
  /** What is said where nothing fits. */
  readonly emptyText?: string;
  readonly disabled?: boolean;
  /** Needed outside a Field. */
  readonly label?: string;
  readonly className?: string;
}

export interface ComboboxProps<Value extends string> extends Shared<Value> {
  readonly value: Value | undefined;
  readonly onValueChange: (value: Value) => void;
}

/** One of many, found by typing. */
export function Combobox<Value extends string>({ value, onValueChange, ...rest }: ComboboxProps<Value>) {
  const chosen = rest.options.find((option) => option.value === value);
  return (
    <SearchList
      {...rest}
      selected={value === undefined ? [] : [value]}
      summary={chosen?.label ?? value}
      multiple={false}
      onPick={onValueChange}
    />
  );
}

export interface MultiComboboxProps<Value extends string> extends Shared<Value> {
  readonly value: readonly Value[];
  readonly onValueChange: (value: readonly Value[]) => void;
}

/** Several of many, found by typing. */
export function MultiCombobox<Value extends string>({ value, onValueChange, ...rest }: MultiComboboxProps<Value>) {
  const labels = value.map((item) => rest.options.find((option) => option.value === item)?.label ?? item);
  return (
    <SearchList
      {...rest}
      selected={value}
      summary={
        labels.length === 0 ? undefined : labels.length <= 2 ? labels.join(", ") : texts.common.selected(labels.length)
      }
      multiple
      onPick={(item) =>
        onValueChange(value.includes(item) ? value.filter((other) => other !== item) : [...value, item])
      }
    />
  );
}

interface SearchListProps<Value extends string> extends Shared<Value> {
  readonly selected: readonly Value[];
  readonly summary: string | undefined;
  readonly multiple: boolean;
  readonly onPick: (value: Value) => void;
}

function SearchList<Value extends string>({
  options,
  selected,
  summary,
  multiple,
  onPick,
  placeholder = texts.common.choose,
  searchPlaceholder = texts.common.search,
  emptyText = texts.common.noResults,
  disabled = false,
  label,
  className,
}: SearchListProps<Value>) {
  const listId = useId();
  const { required: _, ...ties } = useField();
  const labelId = useFieldLabel();
  const [isOpen, setIsOpen] = useState(false);
  const [search, setSearch] = useState("");
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = options.filter((option) =>
    words.every((word) => `${option.label} ${option.value}`.toLowerCase().includes(word)),
  );

  function moveTo(index: number) {
    const next = Math.max(0, Math.min(found.length - 1, index));
    setActive(next);
    list.current?.children[next]?.scrollIntoView({ block: "nearest" });
  }

  function pick(option: Option<Value> | undefined) {
    if (option === undefined || option.disabled === true) return;
    onPick(option.value);
    if (!multiple) setIsOpen(false);
  }

  function onKeyDown(event: KeyboardEvent) {
    const steps: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      Home: 0,
      End: found.length - 1,
    };
    const target = steps[event.key];
    if (target !== undefined) {
      event.preventDefault();
      moveTo(target);
    } else if (event.key === "Enter") {
      event.preventDefault();
      pick(found[active]);
    }
  }

  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(open) => {
        setIsOpen(open);
        setSearch("");
        setActive(Math.max(0, multiple ? 0 : options.findIndex(({ value }) => selected.includes(value))));
      }}
    >
      <Popover.Trigger
        {...ties}
        {...(label === undefined ? {} : { "aria-label": `${label}: ${summary ?? placeholder}` })}
        type="button"
        disabled={disabled}
        className={cx("control flex items-center justify-between gap-2 text-left", className)}
      >
        <span className={cx("truncate", summary === undefined && "text-faint")}>{summary ?? placeholder}</span>
        <ChevronDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          {...(labelId === undefined ? { "aria-label": label ?? placeholder } : { "aria-labelledby": labelId })}
          className="z-50 w-(--radix-popover-trigger-width) min-w-56 animate-rise overflow-hidden rounded-lg border border-line bg-raised shadow-overlay"
        >
          <div className="flex items-center gap-2 border-b border-line px-3">
            <Search aria-hidden="true" className="size-4 shrink-0 text-faint" />
            <input
              role="combobox"
              aria-label={searchPlaceholder}
              aria-expanded
              aria-controls={listId}
              aria-autocomplete="list"
              aria-activedescendant={found.length === 0 ? undefined : `${listId}-${active}`}
              placeholder={searchPlaceholder}
              value={search}
              onChange={(event) => {
                setSearch(event.target.value);
                setActive(0);
              }}
              onKeyDown={onKeyDown}
              className="h-10 w-full bg-transparent outline-none pointer-coarse:text-lg"
            />
          </div>
          <div
            ref={list}
            id={listId}
            role="listbox"
            aria-label={label ?? placeholder}
            aria-multiselectable={multiple || undefined}
            className="max-h-64 overflow-y-auto p-1 empty:hidden"
          >
            {found.map((option, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the search box above has the keys, by aria-activedescendant.
              <div
                key={option.value}
                id={`${listId}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={selected.includes(option.value)}
                aria-disabled={option.disabled || undefined}
                onClick={() => pick(option)}
                onPointerMove={() => setActive(index)}
                className={cx(
                  "flex cursor-default items-start gap-2 rounded-sm px-2.5 py-1.5 aria-disabled:opacity-50",
                  index === active && "bg-hover",
                )}
              >
                <span className="min-w-0 grow">
                  <span className="block truncate">{option.label}</span>
                  {option.description !== undefined && (
                    <span className="block text-sm text-muted">{option.description}</span>
                  )}
                </span>
                {selected.includes(option.value) && (
                  <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent-text" />
                )}
              </div>
            ))}
          </div>
          {found.length === 0 && <p className="px-3 py-4 text-sm text-muted">{emptyText}</p>}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
