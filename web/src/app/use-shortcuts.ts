import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { useSession } from "../api/session.ts";
import { navigationFor } from "./navigation.ts";

/** The key beside the space bar that commands are given with. */
export const MOD_KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";

const CHORD_MS = 1_200;

/** Listens to the keys of the whole dashboard: the palette, the help, and `g` with a letter. */
export function useShortcuts(does: { openPalette: () => void; openHelp: () => void }): void {
  const navigate = useNavigate();
  const groups = navigationFor(useSession());
  const chordUntil = useRef(0);

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      does.openPalette();
      return;
    }
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('[role="dialog"], [role="menu"]') !== null) return;
    if (event.timeStamp < chordUntil.current) {
      chordUntil.current = 0;
      const item = groups.flatMap(({ items }) => items).find(({ letter }) => letter === event.key);
      if (item === undefined) return;
      event.preventDefault();
      void navigate({ to: item.to });
    } else if (event.key === "g") {
      chordUntil.current = event.timeStamp + CHORD_MS;
    } else if (event.key === "?") {
      event.preventDefault();
      does.openHelp();
    }
  });

  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.closest("input, textarea, select, [role='combobox'], [role='listbox']") !== null)
  );
}
