import {
  Boxes,
  ChartColumn,
  House,
  KeyRound,
  Layers,
  ListTree,
  type LucideIcon,
  MessageSquareText,
  Server,
  Settings,
  ShieldAlert,
  ShieldCheck,
  Wallet,
  Waypoints,
} from "lucide-react";
import type { Session } from "../api/session.ts";
import { texts } from "../texts/texts.ts";

export interface NavigationItem {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Pressed after `g`, it goes there. */
  readonly letter: string;
  /** Who sees it; everyone if left out. */
  readonly isFor?: (session: Session) => boolean;
}

export interface NavigationGroup {
  readonly label: string | undefined;
  readonly items: readonly NavigationItem[];
}

/** Read when it is asked for: the language is known by then. */
const groups = (): readonly NavigationGroup[] => [
  {
    label: undefined,
    items: [
      { to: "/", label: texts.shell.pages.home, icon: House, letter: "s" },
      { to: "/playground", label: texts.shell.pages.playground, icon: MessageSquareText, letter: "p" },
    ],
  },
  {
    label: texts.shell.groups.build,
    items: [
      { to: "/keys", label: texts.shell.pages.keys, icon: KeyRound, letter: "k" },
      { to: "/models", label: texts.shell.pages.models, icon: Boxes, letter: "m" },
      { to: "/routing", label: texts.shell.pages.routing, icon: Waypoints, letter: "o" },
      {
        to: "/presets",
        label: texts.shell.pages.presets,
        icon: Layers,
        letter: "e",
        isFor: ({ powers }) => powers.includes("routing.read"),
      },
      { to: "/safety", label: texts.shell.pages.safety, icon: ShieldAlert, letter: "f" },
    ],
  },
  {
    label: texts.shell.groups.observe,
    items: [
      { to: "/usage", label: texts.shell.pages.usage, icon: ChartColumn, letter: "u" },
      { to: "/requests", label: texts.shell.pages.requests, icon: ListTree, letter: "r" },
    ],
  },
  {
    label: texts.shell.groups.manage,
    items: [
      { to: "/billing", label: texts.shell.pages.billing, icon: Wallet, letter: "b" },
      {
        to: "/providers",
        label: texts.shell.pages.providers,
        icon: Server,
        letter: "v",
        isFor: ({ powers }) => powers.includes("provider.read"),
      },
      {
        to: "/operator",
        label: texts.shell.pages.operator,
        icon: ShieldCheck,
        letter: "a",
        isFor: mayOperate,
      },
      { to: "/settings", label: texts.shell.pages.settings, icon: Settings, letter: "," },
    ],
  },
];

/** The groups of the navigation, with only what this person may open. */
export function navigationFor(session: Session): readonly NavigationGroup[] {
  return groups()
    .map((group) => ({
      ...group,
      items: group.items.filter((item) => item.isFor?.(session) ?? true),
    }))
    .filter((group) => group.items.length > 0);
}

/** Whether the person may see the operator's pages. To all others they don't exist. */
export function mayOperate({ account, powers }: Session): boolean {
  return account.operator && powers.includes("operator.read");
}
