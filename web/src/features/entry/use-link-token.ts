import { useEffect, useState } from "react";

/** The secret of the link that was opened. It is taken out of the address, so that no history keeps it. */
export function useLinkToken(): string {
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => {
    if (location.hash !== "") history.replaceState(history.state, "", location.pathname + location.search);
  }, []);
  return token;
}
