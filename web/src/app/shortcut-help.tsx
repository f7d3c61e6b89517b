import { useSession } from "../api/session.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { navigationFor } from "./navigation.ts";
import { MOD_KEY } from "./use-shortcuts.ts";

export interface ShortcutHelpProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Every shortcut there is. */
export function ShortcutHelp({ open, onOpenChange }: ShortcutHelpProps) {
  const items = navigationFor(useSession()).flatMap((group) => group.items);
  const rows = [
    { label: "Search and commands", keys: [MOD_KEY, "K"] },
    { label: "This help", keys: ["?"] },
    ...items.map(({ label, letter }) => ({ label: `Go to ${label.toLowerCase()}`, keys: ["g", letter] })),
  ];
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts" size="sm">
      <dl className="grid divide-y divide-line">
        {rows.map(({ label, keys }) => (
          <div key={label} className="flex items-center justify-between gap-4 py-2">
            <dt>{label}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
