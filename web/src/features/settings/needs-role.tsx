import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { useSession } from "../../api/session.ts";
import { texts } from "../../texts/texts.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { labelOfRole } from "./roles.ts";

/** Shown where a person's role does not allow a page. */
export function NeedsRole({ children }: { readonly children: ReactNode }) {
  const { account } = useSession();
  return (
    <EmptyState icon={<Lock />} title={texts.settings.needsRole.title}>
      <p>
        {texts.settings.needsRole.text(labelOfRole(account.role), account.name)} {children}
      </p>
    </EmptyState>
  );
}
