import { useCallback, useEffect, useRef, useState } from "react";
import type { PlaygroundSearch } from "./playground-search.ts";
import { readSettings } from "./read-settings.ts";
import { mergeSearch, type Settings } from "./settings.ts";

const PLACE = "playground";
/** Typing must not wait for the storage. */
const KEEP_AFTER_MS = 300;

/** The settings, kept for this tab: they are there again after a reload and when one comes back. */
export function useSettings(search: PlaygroundSearch) {
  const [settings, setSettings] = useState(() => mergeSearch(readKept(), search));
  const newest = useRef(settings);
  newest.current = settings;

  useEffect(() => {
    const timer = setTimeout(() => keep(settings), KEEP_AFTER_MS);
    return () => clearTimeout(timer);
  }, [settings]);

  useEffect(() => {
    const keepNow = () => keep(newest.current);
    addEventListener("pagehide", keepNow);
    return () => {
      removeEventListener("pagehide", keepNow);
      keepNow();
    };
  }, []);

  const change = useCallback((changes: Partial<Settings>) => {
    setSettings((before) => ({ ...before, ...changes }));
  }, []);
  return { settings, change };
}

function readKept(): Settings {
  try {
    return readSettings(JSON.parse(sessionStorage.getItem(PLACE) ?? "null"));
  } catch {
    // Storage can be forbidden or hold something else.
    return readSettings(null);
  }
}

function keep(settings: Settings): void {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(settings));
  } catch {
    // Storage can be forbidden or full; the page works without it.
  }
}
