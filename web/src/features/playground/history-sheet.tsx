import { MessagesSquare, Trash2 } from "lucide-react";
import { useState } from "react";
import { texts } from "../../texts/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Sheet } from "../../ui/sheet.tsx";
import { Time } from "../../ui/time.tsx";
import type { History } from "./history.ts";

const { playground: words } = texts;

interface HistorySheetProps {
  readonly history: History;
  readonly onClose: () => void;
  readonly onOpen: (id: string) => void;
  /** Hears of a deletion; undefined: all of them. */
  readonly onDelete: (id: string | undefined) => void;
}

/** The conversations that this browser has kept. Mounted for every opening, so that it shows what there is now. */
export function HistorySheet({ history, onClose, onOpen, onDelete }: HistorySheetProps) {
  const [entries, setEntries] = useState(() => history.list());
  const [isClearing, setIsClearing] = useState(false);
  return (
    <Sheet
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={words.history}
      description={words.historyHint}
      {...(entries.length === 0
        ? {}
        : { footer: <Button onClick={() => setIsClearing(true)}>{words.deleteAllChats}</Button> })}
    >
      {entries.length === 0 ? (
        <EmptyState icon={<MessagesSquare />} title={words.noHistory}>
          {words.noHistoryHint}
        </EmptyState>
      ) : (
        <ul aria-label={words.history} className="grid gap-1">
          {entries.map(({ id, title, at, turns }) => (
            <li key={id} className="flex min-w-0 items-center gap-2 rounded-md hover:bg-hover">
              <button
                type="button"
                onClick={() => onOpen(id)}
                className="grid min-w-0 grow gap-0.5 rounded-md px-3 py-2 text-left"
              >
                <span className="truncate font-medium">{title === "" ? words.untitled : title}</span>
                <span className="text-sm text-muted">
                  <Time at={at} /> · {words.messages(turns)}
                </span>
              </button>
              <IconButton
                label={words.deleteChat(title)}
                size="sm"
                icon={<Trash2 aria-hidden="true" />}
                onClick={() => {
                  onDelete(id);
                  history.delete(id);
                  setEntries(history.list());
                }}
              />
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog
        open={isClearing}
        onOpenChange={setIsClearing}
        danger
        title={words.deleteAllTitle}
        confirmLabel={words.deleteAllChats}
        onConfirm={async () => {
          onDelete(undefined);
          history.deleteAll();
          setEntries([]);
        }}
      >
        {words.deleteAllHint}
      </ConfirmDialog>
    </Sheet>
  );
}
