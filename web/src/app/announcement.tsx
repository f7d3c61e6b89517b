import { useSession } from "../api/session.ts";
import { Banner } from "../ui/banner.tsx";

/** The operator's message to everyone. */
export function Announcement() {
  const { announcement } = useSession();
  if (announcement === "") return undefined;
  return (
    <Banner className="mx-auto mb-6 max-w-6xl print:hidden" title="From the operator">
      {announcement}
    </Banner>
  );
}
