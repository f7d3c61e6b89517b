import { Outlet } from "@tanstack/react-router";
import { Page } from "../../ui/page.tsx";
import { LinkTabs } from "../../ui/tabs.tsx";

const TABS = [
  { to: "/settings/profile", label: "Profile" },
  { to: "/settings/security", label: "Security" },
  { to: "/settings/organisation", label: "Organisation" },
  { to: "/settings/members", label: "Members" },
  { to: "/settings/audit", label: "Audit" },
  { to: "/settings/data", label: "Data" },
  { to: "/settings/webhooks", label: "Webhooks" },
] as const;

/** Settings: a page of tabs, each a route of its own. */
export function SettingsPage() {
  return (
    <Page title="Settings" below={<LinkTabs label="Settings" items={TABS} />}>
      <Outlet />
    </Page>
  );
}
