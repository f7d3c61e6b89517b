import { useNavigate } from "@tanstack/react-router";
import { Activity, Building2, Keyboard, LogOut, Monitor, Moon, Plus, Sun } from "lucide-react";
import type { ReactNode } from "react";
import { useSession } from "../api/session.ts";
import { texts } from "../texts/texts.ts";
import { setTheme } from "../ui/theme.ts";
import { navigationFor } from "./navigation.ts";
import { useSessionActions } from "./use-session-actions.ts";

export interface Command {
  readonly id: string;
  readonly label: string;
  readonly group: string;
  readonly icon: ReactNode;
  readonly run: () => void;
}

/** What the palette offers to this person. */
export function useCommands(onHelp: () => void): readonly Command[] {
  const navigate = useNavigate();
  const session = useSession();
  const { goTo, leave } = useSessionActions();
  const pages = navigationFor(session)
    .flatMap(({ items }) => items)
    .map(({ to, label, icon: Icon }) => ({
      id: to,
      label,
      group: texts.shell.search.groups.pages,
      icon: <Icon aria-hidden="true" />,
      run: () => void navigate({ to }),
    }));
  const others = session.accounts
    .filter(({ id }) => id !== session.account.id)
    .map(({ id, name }) => ({
      id,
      label: name,
      group: texts.shell.search.groups.organisations,
      icon: <Building2 aria-hidden="true" />,
      run: () => goTo(id),
    }));
  const creation = {
    id: "create-key",
    label: texts.shell.search.createKey,
    group: texts.shell.search.groups.actions,
    icon: <Plus aria-hidden="true" />,
    // The keys page opens its form for this search parameter.
    run: () => void navigate({ to: "/keys", search: { create: true } }),
  };
  const themes = [
    {
      id: "light",
      label: texts.shell.search.lightTheme,
      icon: <Sun aria-hidden="true" />,
      run: () => setTheme("light"),
    },
    { id: "dark", label: texts.shell.search.darkTheme, icon: <Moon aria-hidden="true" />, run: () => setTheme("dark") },
    {
      id: "system",
      label: texts.shell.search.systemTheme,
      icon: <Monitor aria-hidden="true" />,
      run: () => setTheme("system"),
    },
  ].map((theme) => ({ ...theme, group: texts.shell.search.groups.theme }));
  return [
    ...pages,
    ...(session.powers.includes("keys.change") ? [creation] : []),
    ...others,
    ...themes,
    {
      id: "/status",
      label: texts.publicPages.status.title,
      group: texts.shell.search.groups.pages,
      icon: <Activity aria-hidden="true" />,
      run: () => void navigate({ to: "/status" }),
    },
    {
      id: "help",
      label: texts.shell.shortcuts.title,
      group: texts.shell.search.groups.help,
      icon: <Keyboard aria-hidden="true" />,
      run: onHelp,
    },
    {
      id: "log-out",
      label: texts.shell.account.logOut,
      group: texts.shell.search.groups.actions,
      icon: <LogOut aria-hidden="true" />,
      run: leave,
    },
  ];
}
