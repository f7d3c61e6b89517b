import { Bookmark, Trash2 } from "lucide-react";
import { useState } from "react";
import { useSession } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Popover } from "../../ui/popover.tsx";
import { toast } from "../../ui/toast.tsx";
import type { RequestFilters } from "./request-search.ts";
import { readViews, type SavedView, withView, writeViews } from "./saved-views.ts";

const TEXTS = texts.requests.views;

const ViewForm = lazyPart(() => import("./view-form.tsx").then((module) => module.ViewForm));

interface ViewsButtonProps {
  readonly search: RequestFilters;
  readonly onApply: (search: RequestFilters) => void;
}

/** Filters that are used again and again, by names. */
export function ViewsButton({ search, onApply }: ViewsButtonProps) {
  const { account } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  const [views, setViews] = useState(() => readViews(account.id));
  const change = (next: readonly SavedView[]) => {
    setViews(next);
    writeViews(account.id, next);
  };
  return (
    <Popover
      label={TEXTS.open}
      open={isOpen}
      onOpenChange={setIsOpen}
      trigger={<Button icon={<Bookmark aria-hidden="true" />}>{TEXTS.open}</Button>}
    >
      <div className="grid gap-4">
        {views.length === 0 ? (
          <p className="text-sm text-muted">{TEXTS.none}</p>
        ) : (
          <ul className="grid">
            {views.map((view) => (
              <li key={view.name} className="flex items-center gap-1">
                <button
                  type="button"
                  onClick={() => {
                    onApply(view.filters);
                    setIsOpen(false);
                  }}
                  className="min-w-0 grow truncate rounded-md px-2 py-1.5 text-left hover:bg-hover"
                >
                  {view.name}
                </button>
                <IconButton
                  size="sm"
                  label={TEXTS.remove(view.name)}
                  icon={<Trash2 aria-hidden="true" />}
                  onClick={() => change(views.filter((other) => other !== view))}
                />
              </li>
            ))}
          </ul>
        )}
        {Object.keys(search).length === 0 ? (
          views.length > 0 && <p className="text-sm text-muted">{TEXTS.noFilters}</p>
        ) : (
          <ViewForm
            onSave={(name) => {
              change(withView(views, { name, filters: search }));
              setIsOpen(false);
              toast({ title: TEXTS.saved });
            }}
          />
        )}
      </div>
    </Popover>
  );
}
