import type { ReactNode } from "react";
import { Logo } from "./logo.tsx";
import { useDocumentTitle } from "./page.tsx";

export interface EntryPageProps {
  /** The h1, and the document's title. */
  readonly title: string;
  readonly description?: ReactNode;
  /** A line below the card, such as the way to another page. */
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}

/** A page outside the shell: the logo, one card, one thing to do. */
export function EntryPage({ title, description, footer, children }: EntryPageProps) {
  useDocumentTitle(title);
  return (
    <main id="main" className="mx-auto flex min-h-dvh w-full max-w-md flex-col px-4 pt-[max(2.5rem,11vh)] pb-10">
      <Logo className="mb-7 self-center" />
      <div className="rounded-lg border border-line bg-surface p-6 sm:p-8">
        <h1 tabIndex={-1} className="text-xl font-semibold">
          {title}
        </h1>
        {description !== undefined && <p className="mt-1 text-muted">{description}</p>}
        <div className="mt-6 grid gap-4">{children}</div>
      </div>
      {footer !== undefined && <p className="mt-5 text-center text-muted">{footer}</p>}
    </main>
  );
}
