import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { usePermission } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useDocumentTitle } from "../../ui/page.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { PasskeySection, passkeysQuery } from "./passkey-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { SecondFactorSection } from "./second-factor-section.tsx";
import { SessionSection, sessionsQuery } from "./session-section.tsx";

/** The tab Security: how one logs in, and where one is logged in. */
export function SecuritySettings() {
  useDocumentTitle(texts.settings.tabs.security);
  if (!usePermission("person.read")) {
    return <EmptyState title={texts.sso.ownOnly.title}>{texts.sso.ownOnly.text}</EmptyState>;
  }
  return <Security />;
}

function Security() {
  // Both at once: what comes later would move what is there.
  const isPending = [useQuery(passkeysQuery).isPending, useInfiniteQuery(sessionsQuery).isPending].includes(true);
  return (
    <div className="grid max-w-3xl gap-10">
      <PasswordSection />
      <SecondFactorSection />
      {isPending ? (
        <SkeletonRows rows={4} label={texts.settings.security.sessionsLoading} />
      ) : (
        <>
          <PasskeySection />
          <SessionSection />
        </>
      )}
    </div>
  );
}
