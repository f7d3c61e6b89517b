import { useState } from "react";

/** Whether the first steps of an organisation were hidden on this device. */
export function useHiddenSteps(accountId: string): readonly [boolean, (areHidden: boolean) => void] {
  const name = `first-steps-hidden-${accountId}`;
  const [areHidden, setAreHidden] = useState(() => read(name));
  return [
    areHidden,
    (next) => {
      setAreHidden(next);
      keep(name, next);
    },
  ];
}

function read(name: string): boolean {
  try {
    return localStorage.getItem(name) === "yes";
  } catch {
    // Storage can be forbidden; then they are shown.
    return false;
  }
}

function keep(name: string, areHidden: boolean): void {
  try {
    if (areHidden) localStorage.setItem(name, "yes");
    else localStorage.removeItem(name);
  } catch {
    // It holds for this page, at least.
  }
}
