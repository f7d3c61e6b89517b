import { type ReactNode, useEffect } from "react";
import { cx } from "./cx.ts";

export interface PageProps {
  /** Also the document's title. */
  readonly title: string;
  /** Shown instead of the title, where it is more than text. */
  readonly heading?: ReactNode;
  readonly description?: ReactNode;
  /** Buttons, the main one last. */
  readonly actions?: ReactNode;
  /** A link back, tabs or the like, between the title and the content. */
  readonly above?: ReactNode;
  readonly below?: ReactNode;
  readonly width?: "narrow" | "normal" | "wide";
  readonly children: ReactNode;
}

const WIDTHS = { narrow: "max-w-3xl", normal: "max-w-6xl", wide: "max-w-none" } as const;

/** A page inside the shell: its one h1, what can be done here, and its content. */
export function Page({ title, heading, description, actions, above, below, width = "normal", children }: PageProps) {
  useDocumentTitle(title);
  return (
    <div className={cx("mx-auto grid w-full min-w-0 content-start gap-6", WIDTHS[width])}>
      <header className="grid gap-3">
        {above}
        <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
          <div className="min-w-0">
            <h1 tabIndex={-1} className="text-xl font-semibold wrap-anywhere sm:text-2xl">
              {heading ?? title}
            </h1>
            {description !== undefined && <p className="mt-1 max-w-prose text-muted">{description}</p>}
          </div>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
        {below}
      </header>
      {children}
    </div>
  );
}

/** Names the document. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Trunkline`;
  }, [title]);
}
