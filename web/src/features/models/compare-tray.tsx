import { Columns2, X } from "lucide-react";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { MOST_COMPARED } from "./model-filters.ts";

interface CompareTrayProps {
  readonly names: readonly string[];
  readonly onRemove: (name: string) => void;
  readonly onCompare: () => void;
}

/** What was chosen to be compared, in sight while the list scrolls. */
export function CompareTray({ names, onRemove, onCompare }: CompareTrayProps) {
  if (names.length === 0) return null;
  return (
    <section
      aria-label="Chosen for comparison"
      className="sticky bottom-3 z-20 flex flex-wrap items-center gap-2 rounded-lg border border-line-strong bg-raised p-2.5 pl-4 shadow-overlay"
    >
      <ul className="flex min-w-0 grow flex-wrap gap-1.5">
        {names.map((name) => (
          <li key={name} className="flex max-w-full items-center rounded-full bg-hover pl-2.5 text-sm">
            <span className="truncate">{name}</span>
            <IconButton
              label={`Leave out ${name}`}
              size="sm"
              icon={<X aria-hidden="true" />}
              onClick={() => onRemove(name)}
            />
          </li>
        ))}
      </ul>
      <span role="status" className="text-sm text-muted">
        {names.length === 1 ? "Choose one more" : `${names.length} of ${MOST_COMPARED} chosen`}
      </span>
      <Button variant="primary" icon={<Columns2 aria-hidden="true" />} disabled={names.length < 2} onClick={onCompare}>
        Compare
      </Button>
    </section>
  );
}
