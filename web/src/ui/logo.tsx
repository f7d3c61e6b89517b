import { texts } from "../texts/texts.ts";
import { cx } from "./cx.ts";

/** The mark: three lines that join into one. */
export function LogoMark({ className }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={cx("size-7 shrink-0", className)}>
      <rect width="32" height="32" rx="8" fill="#0f766e" />
      <g fill="none" stroke="#fff" strokeWidth="2.6" strokeLinecap="round">
        <path d="M6.5 9h3.2c4.6 0 4.4 7 9 7" />
        <path d="M6.5 23h3.2c4.6 0 4.4-7 9-7" />
        <path d="M6.5 16h19" />
      </g>
    </svg>
  );
}

/** The mark with the name beside it. */
export function Logo({ className }: { readonly className?: string }) {
  return (
    <span className={cx("inline-flex items-center gap-2.5", className)}>
      <LogoMark />
      <span className="text-lg font-semibold tracking-tight">{texts.common.product}</span>
    </span>
  );
}
