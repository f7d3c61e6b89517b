import { Outlet } from "@tanstack/react-router";
import { useSession } from "../../api/session.ts";
import { Page } from "../../ui/page.tsx";
import { LinkTabs } from "../../ui/tabs.tsx";

const TABS: readonly { readonly to: string; readonly label: string; readonly power?: string }[] = [
  { to: "/settings/profile", label: "Profile" },
  { to: "/settings/security", label: "Security" },
  { to: "/settings/organisation", label: "Organisation" },
  { to: "/settings/members", label: "Members", power: "members.read" },
  { to: "/settings/audit", label: "Audit", power: "audit.read" },
  { to: "/settings/data", label: "Data", power: "settings.read" },
  { to: "/settings/provider-keys", label: "Provider keys", power: "settings.read" },
  { to: "/settings/webhooks", label: "Webhooks", power: "webhooks.read" },
];

/** Settings: a page of tabs, each with its own route. A tab is hidden without its permission. */
export function SettingsPage() {
  const { powers } = useSession();
  const tabs = TABS.filter(({ power }) => power === undefined || powers.includes(power));
  return (
    <Page title="Settings" below={<LinkTabs label="Settings" items={tabs} />}>
      <Outlet />
    </Page>
  );
}
