import { Link, useLocation } from "@tanstack/react-router";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { cx } from "./cx.ts";

const STRIP = "flex gap-4 overflow-x-auto border-b border-line";
const TAB =
  "-mb-px shrink-0 border-b-2 border-transparent py-2 font-medium whitespace-nowrap text-muted hover:text-text focus-visible:-outline-offset-2";

/** Where there are more tabs than fit, the strip fades out on that side. */
const FADES = {
  none: "",
  left: "mask-[linear-gradient(to_left,black_calc(100%-3rem),transparent)]",
  right: "mask-[linear-gradient(to_right,black_calc(100%-3rem),transparent)]",
  both: "mask-[linear-gradient(to_right,transparent,black_3rem,black_calc(100%-3rem),transparent)]",
} as const;

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
    open?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [path]);
  const hidden = useHiddenSides(strip);
  return (
    <nav ref={strip} aria-label={label} className={cx(STRIP, FADES[hidden])}>
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

/** On which sides a strip has more than is in sight. */
function useHiddenSides(strip: RefObject<HTMLElement | null>): keyof typeof FADES {
  const [hidden, setHidden] = useState<keyof typeof FADES>("none");
  useEffect(() => {
    const element = strip.current;
    if (element === null) return undefined;
    const look = () => {
      const left = element.scrollLeft > 4;
      const right = element.scrollLeft + element.clientWidth < element.scrollWidth - 4;
      setHidden(left ? (right ? "both" : "left") : right ? "right" : "none");
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [strip]);
  return hidden;
}
