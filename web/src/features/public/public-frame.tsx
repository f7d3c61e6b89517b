import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { sessionQuery } from "../../api/session.ts";
import { signInFeaturesQuery } from "../../api/sign-in.ts";
import { texts } from "../../texts/texts.ts";
import { buttonClass } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Logo } from "../../ui/logo.tsx";
import { TEXT_LINK } from "../../ui/text-link.ts";

const TEXTS = texts.publicPages;

/** The frame of pages for everyone: the logo, the other public pages, and the way in. */
export function PublicFrame({ children }: { readonly children: ReactNode }) {
  const { data: features } = useQuery(signInFeaturesQuery);
  const session = useQuery({ ...sessionQuery, retry: false });
  return (
    <div className="min-h-dvh">
      <header className="border-b border-line bg-canvas px-4 py-3 sm:px-8">
        <div className="mx-auto flex w-full max-w-6xl flex-wrap items-center gap-x-6 gap-y-2">
          <Link to={session.data === undefined ? "/log-in" : "/"} className="rounded-md">
            <Logo />
          </Link>
          <nav
            aria-label={TEXTS.navigation}
            className="order-last flex w-full flex-wrap items-center gap-x-5 gap-y-1 sm:order-none sm:w-auto"
          >
            {features?.public_models === true && (
              <Link to="/catalogue" className={TEXT_LINK}>
                {TEXTS.models.title}
              </Link>
            )}
            {features?.public_status === true && (
              <Link to="/status" className={TEXT_LINK}>
                {TEXTS.status.title}
              </Link>
            )}
            <a href="/guide/" className={TEXT_LINK}>
              {TEXTS.docs}
            </a>
          </nav>
          <span className="ml-auto flex min-h-9 items-center gap-2">
            {session.data !== undefined ? (
              <Link to="/" className={buttonClass("primary", "sm")}>
                {TEXTS.dashboard}
              </Link>
            ) : (
              session.isError && (
                <>
                  <Link to="/log-in" className={buttonClass("secondary", "sm")}>
                    {TEXTS.logIn}
                  </Link>
                  {features?.sign_up === "open" && (
                    <Link to="/sign-up" className={buttonClass("primary", "sm")}>
                      {TEXTS.signUp}
                    </Link>
                  )}
                </>
              )
            )}
          </span>
        </div>
      </header>
      <main id="main" tabIndex={-1} className="px-4 py-6 outline-none sm:px-8 sm:py-8">
        {children}
      </main>
    </div>
  );
}

/** Shown where the operator has not made a page public. */
export function NotPublic() {
  return (
    <EmptyState
      title={TEXTS.notPublic}
      action={
        <Link to="/log-in" className={buttonClass("primary")}>
          {TEXTS.logIn}
        </Link>
      }
    >
      {TEXTS.notPublicText}
    </EmptyState>
  );
}
