import { Search } from "lucide-react";
import { Dialog } from "radix-ui";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { texts } from "../texts/texts.ts";
import { cx } from "../ui/cx.ts";
import { type Command, useCommands } from "./use-commands.tsx";
import { useFound } from "./use-found.tsx";

export interface CommandPaletteProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onHelp: () => void;
}

/** Everything that can be gone to or done, found by typing. */
export function CommandPalette({ open, onOpenChange, onHelp }: CommandPaletteProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-fade bg-shade" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-x-3 top-[10vh] z-50 mx-auto max-w-xl animate-rise overflow-hidden rounded-lg border border-line bg-raised shadow-overlay outline-none"
        >
          <Dialog.Title className="sr-only">{texts.shell.search.title}</Dialog.Title>
          <CommandList onDone={() => onOpenChange(false)} onHelp={onHelp} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function CommandList({ onDone, onHelp }: { readonly onDone: () => void; readonly onHelp: () => void }) {
  const id = useId();
  const [search, setSearch] = useState("");
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const commands = useCommands(onHelp).filter((command) =>
    words.every((word) => `${command.label} ${command.group}`.toLowerCase().includes(word)),
  );
  const found = [...commands, ...useFound(search)];

  function run(command: Command | undefined) {
    if (command === undefined) return;
    onDone();
    command.run();
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && found.length > 0) {
      event.preventDefault();
      const next = (active + step + found.length) % found.length;
      setActive(next);
      list.current?.querySelectorAll("[role=option]")[next]?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      run(found[active]);
    }
  }

  return (
    <>
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Search aria-hidden="true" className="size-4 shrink-0 text-faint" />
        <input
          role="combobox"
          aria-label={texts.shell.search.placeholder}
          aria-expanded
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={found.length === 0 ? undefined : `${id}-${active}`}
          placeholder={texts.shell.search.placeholder}
          value={search}
          onChange={(event) => {
            setSearch(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
          className="h-12 w-full bg-transparent text-lg outline-none"
        />
      </div>
      <div
        ref={list}
        id={id}
        role="listbox"
        aria-label={texts.shell.search.results}
        className="max-h-[50vh] overflow-y-auto p-1.5 empty:hidden"
      >
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the search box above has the keys, by aria-activedescendant.
          <div
            key={command.id}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            onClick={() => run(command)}
            onPointerMove={() => setActive(index)}
            className={cx(
              "flex cursor-default items-center gap-3 rounded-sm px-3 py-2 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted",
              index === active && "bg-hover",
            )}
          >
            {command.icon}
            <span className="min-w-0 grow truncate">{command.label}</span>
            <span className="text-xs text-faint">{command.group}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="px-4 py-6 text-center text-muted">{texts.common.noResults}</p>}
    </>
  );
}
