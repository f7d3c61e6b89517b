import { ArrowUpRight } from "lucide-react";
import type { ReactNode } from "react";
import { texts } from "../texts/texts.ts";
import { cx } from "./cx.ts";

export interface OutsideLinkProps {
  readonly href: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** An external link. Its address may come from other people: anything but http and https stays text. */
export function OutsideLink({ href, className, children }: OutsideLinkProps) {
  if (!isWebAddress(href)) return <span className={className}>{children}</span>;
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      className={cx(
        "text-accent-text underline decoration-line-strong underline-offset-3 hover:decoration-current",
        className,
      )}
    >
      {children}
      <ArrowUpRight aria-hidden="true" className="ml-0.5 inline size-3.5 align-[-0.1em]" />
      <span className="sr-only"> {texts.common.opensInNewTab}</span>
    </a>
  );
}

function isWebAddress(href: string): boolean {
  try {
    return ["https:", "http:"].includes(new URL(href, location.origin).protocol);
  } catch {
    // What can't be read as an address leads nowhere.
    return false;
  }
}
