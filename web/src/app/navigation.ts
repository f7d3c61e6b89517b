import {
  Boxes,
  ChartColumn,
  House,
  KeyRound,
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

const GROUPS: readonly NavigationGroup[] = [
  {
    label: undefined,
    items: [
      { to: "/", label: "Start", icon: House, letter: "s" },
      { to: "/playground", label: "Playground", icon: MessageSquareText, letter: "p" },
    ],
  },
  {
    label: "Build",
    items: [
      { to: "/keys", label: "Keys", icon: KeyRound, letter: "k" },
      { to: "/models", label: "Models", icon: Boxes, letter: "m" },
      { to: "/routing", label: "Routing", icon: Waypoints, letter: "o" },
      { to: "/safety", label: "Safety", icon: ShieldAlert, letter: "f" },
    ],
  },
  {
    label: "Observe",
    items: [
      { to: "/usage", label: "Usage", icon: ChartColumn, letter: "u" },
      { to: "/requests", label: "Requests", icon: ListTree, letter: "r" },
    ],
  },
  {
    label: "Manage",
    items: [
      { to: "/billing", label: "Billing", icon: Wallet, letter: "b" },
      {
        to: "/providers",
        label: "Providers",
        icon: Server,
        letter: "v",
        isFor: ({ powers }) => powers.includes("provider.read"),
      },
      {
        to: "/operator",
        label: "Operator",
        icon: ShieldCheck,
        letter: "a",
        isFor: ({ account, powers }) => account.operator && powers.includes("operator.read"),
      },
      { to: "/settings", label: "Settings", icon: Settings, letter: "," },
    ],
  },
];

/** The groups of the navigation, with only what this person may open. */
export function navigationFor(session: Session): readonly NavigationGroup[] {
  return GROUPS.map((group) => ({
    ...group,
    items: group.items.filter((item) => item.isFor?.(session) ?? true),
  })).filter((group) => group.items.length > 0);
}
