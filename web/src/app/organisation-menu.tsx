import { Building2, ChevronsUpDown } from "lucide-react";
import { useSession } from "../api/session.ts";
import { texts } from "../texts/texts.ts";
import { cx } from "../ui/cx.ts";
import { Menu, MenuRadio } from "../ui/menu.tsx";
import { useSessionActions } from "./use-session-actions.ts";

/** Which organisation is shown, and the way to another. */
export function OrganisationMenu({ isCollapsed = false }: { readonly isCollapsed?: boolean }) {
  const { account, accounts } = useSession();
  const { goTo } = useSessionActions();
  return (
    <Menu
      align="start"
      className="w-60"
      trigger={
        <button
          type="button"
          aria-label={texts.shell.organisation.menu(account.name)}
          className={cx(
            "flex items-center gap-2.5 rounded-md border border-transparent text-left hover:bg-hover",
            isCollapsed ? "size-9 justify-center" : "px-2 py-1.5",
          )}
        >
          <span
            aria-hidden="true"
            className="flex size-6 shrink-0 items-center justify-center rounded-sm bg-accent-soft text-accent-text"
          >
            <Building2 className="size-3.5" />
          </span>
          {!isCollapsed && (
            <>
              <span className="min-w-0 grow truncate font-medium">{account.name}</span>
              <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-faint" />
            </>
          )}
        </button>
      }
    >
      <MenuRadio
        label={texts.shell.organisation.list}
        value={account.id}
        onValueChange={goTo}
        options={accounts.map(({ id, name, role }) => ({
          value: id,
          label: name,
          aside: <span className="text-xs text-faint">{role}</span>,
        }))}
      />
    </Menu>
  );
}
