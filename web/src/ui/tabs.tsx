import { Link, useLocation } from "@tanstack/react-router";
import { Tabs as Radix } from "radix-ui";
import { type ReactNode, useEffect, useRef } from "react";

const STRIP = "flex gap-5 overflow-x-auto border-b border-line";
const TAB =
  "-mb-px shrink-0 border-b-2 border-transparent py-2 font-medium whitespace-nowrap text-muted hover:text-text focus-visible:-outline-offset-2";

export interface TabsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly onValueChange: (value: Value) => void;
  readonly tabs: readonly { readonly value: Value; readonly label: ReactNode }[];
  /** TabPanels, one for each tab. */
  readonly children: ReactNode;
}

/** Several views of one thing on one page. */
export function Tabs<Value extends string>({
  label,
  value,
  onValueChange,
  tabs,
  children,
}: TabsProps<Value>) {
  return (
    <Radix.Root
      value={value}
      onValueChange={(chosen) => onValueChange(chosen as Value)}
      className="grid gap-5"
    >
      <Radix.List aria-label={label} className={STRIP}>
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className={`${TAB} data-[state=active]:border-accent data-[state=active]:text-text`}
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {children}
    </Radix.Root>
  );
}

/** What a tab shows. */
export function TabPanel({ value, children }: { readonly value: string; readonly children: ReactNode }) {
  return (
    <Radix.Content value={value} className="min-w-0 rounded-sm">
      {children}
    </Radix.Content>
  );
}

export interface LinkTabsProps {
  readonly label: string;
  readonly items: readonly { readonly to: string; readonly label: ReactNode }[];
}

/** Tabs that are pages of their own: links, so they can be opened beside and come back by the back button. */
export function LinkTabs({ label, items }: LinkTabsProps) {
  const strip = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => {
    // On a phone the strip is wider than the screen: the tab that is open is brought into sight.
    const open = strip.current?.querySelector(`a[href="${CSS.escape(path)}"]`);
    open?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [path]);
  return (
    <nav ref={strip} aria-label={label} className={STRIP}>
      {items.map((item) => (
        <Link
          key={item.to}
          to={item.to}
          className={TAB}
          activeProps={{ className: "border-accent! text-text!", "aria-current": "page" }}
        >
          {item.label}
        </Link>
      ))}
    </nav>
  );
}
