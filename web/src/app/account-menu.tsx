import { useNavigate } from "@tanstack/react-router";
import { Activity, BookOpen, Code, LogOut, Settings } from "lucide-react";
import { useSession } from "../api/session.ts";
import { texts } from "../texts/texts.ts";
import { cx } from "../ui/cx.ts";
import { Menu, MenuItem, MenuRadio, MenuSeparator } from "../ui/menu.tsx";
import { setTheme, THEMES, useTheme } from "../ui/theme.ts";
import { useSessionActions } from "./use-session-actions.ts";

export interface AccountMenuProps {
  readonly isCollapsed?: boolean;
  readonly onNavigate?: () => void;
}

/** Who is logged in: their theme, their settings, and the way out. */
export function AccountMenu({ isCollapsed = false, onNavigate }: AccountMenuProps) {
  const { person } = useSession();
  const theme = useTheme();
  const navigate = useNavigate();
  const { leave } = useSessionActions();
  const shown = person.name === "" ? person.email : person.name;
  return (
    <Menu
      align="start"
      side="top"
      className="w-60"
      trigger={
        <button
          type="button"
          className={cx(
            "flex items-center gap-2.5 rounded-md text-left hover:bg-hover",
            isCollapsed ? "size-9 justify-center" : "px-2 py-1.5",
          )}
        >
          <span
            aria-hidden="true"
            className="flex size-7 shrink-0 items-center justify-center rounded-full bg-hover text-xs font-semibold text-muted uppercase"
          >
            {[...shown][0]}
          </span>
          {isCollapsed && <span className="sr-only">{texts.shell.account.menu(shown)}</span>}
          {!isCollapsed && (
            <span className="min-w-0">
              <span className="block truncate font-medium">{shown}</span>
              <span className="block truncate text-xs text-faint">{person.email}</span>
            </span>
          )}
        </button>
      }
    >
      <MenuRadio
        label={texts.shell.account.theme}
        value={theme}
        onValueChange={setTheme}
        options={THEMES.map((value) => ({ value, label: texts.shell.account.themes[value] }))}
      />
      <MenuSeparator />
      <MenuItem
        icon={<Settings aria-hidden="true" />}
        onSelect={() => {
          onNavigate?.();
          void navigate({ to: "/settings/profile" });
        }}
      >
        {texts.shell.account.settings}
      </MenuItem>
      <MenuItem icon={<BookOpen aria-hidden="true" />} onSelect={() => location.assign("/guide/")}>
        {texts.shell.pages.documentation}
      </MenuItem>
      <MenuItem icon={<Code aria-hidden="true" />} onSelect={() => location.assign("/docs")}>
        {texts.shell.pages.apiReference}
      </MenuItem>
      <MenuItem
        icon={<Activity aria-hidden="true" />}
        onSelect={() => {
          onNavigate?.();
          void navigate({ to: "/status" });
        }}
      >
        {texts.publicPages.status.title}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<LogOut aria-hidden="true" />} onSelect={leave}>
        {texts.shell.account.logOut}
      </MenuItem>
    </Menu>
  );
}
