import { useNavigate } from "@tanstack/react-router";
import { Building2, Keyboard, LogOut, Monitor, Moon, Plus, Sun } from "lucide-react";
import type { ReactNode } from "react";
import { useSession } from "../api/session.ts";
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
      group: "Go to",
      icon: <Icon aria-hidden="true" />,
      run: () => void navigate({ to }),
    }));
  const others = session.accounts
    .filter(({ id }) => id !== session.account.id)
    .map(({ id, name }) => ({
      id,
      label: name,
      group: "Switch organisation",
      icon: <Building2 aria-hidden="true" />,
      run: () => goTo(id),
    }));
  const creation = {
    id: "create-key",
    label: "Create a key",
    group: "Do",
    icon: <Plus aria-hidden="true" />,
    // The keys page opens its form for this search parameter.
    run: () => void navigate({ to: "/keys", search: { create: true } }),
  };
  const themes = [
    { id: "light", label: "Light theme", icon: <Sun aria-hidden="true" />, run: () => setTheme("light") },
    { id: "dark", label: "Dark theme", icon: <Moon aria-hidden="true" />, run: () => setTheme("dark") },
    {
      id: "system",
      label: "Theme of the device",
      icon: <Monitor aria-hidden="true" />,
      run: () => setTheme("system"),
    },
  ].map((theme) => ({ ...theme, group: "Theme" }));
  return [
    ...pages,
    ...(session.powers.includes("keys.change") ? [creation] : []),
    ...others,
    ...themes,
    {
      id: "help",
      label: "Keyboard shortcuts",
      group: "Help",
      icon: <Keyboard aria-hidden="true" />,
      run: onHelp,
    },
    { id: "log-out", label: "Log out", group: "Do", icon: <LogOut aria-hidden="true" />, run: leave },
  ];
}
