import { Link, useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";

const STRIP = "flex gap-5 overflow-x-auto border-b border-line";
const TAB =
  "-mb-px shrink-0 border-b-2 border-transparent py-2 font-medium whitespace-nowrap text-muted hover:text-text focus-visible:-outline-offset-2";

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
