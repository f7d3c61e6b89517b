import { useSyncExternalStore } from "react";

/** What a person can choose; `system` follows the device. */
export const THEMES = ["light", "dark", "system"] as const;

export type Theme = (typeof THEMES)[number];

const listeners = new Set<() => void>();

function readTheme(): Theme {
  try {
    const kept = localStorage.getItem("theme");
    return THEMES.find((theme) => theme === kept) ?? "system";
  } catch {
    // Storage can be forbidden; then the system's theme counts.
    return "system";
  }
}

/** Chooses a theme and keeps it for the next visit. */
export function setTheme(theme: Theme): void {
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // It holds for this page, at least.
  }
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
}

/** Calls back whenever the colours may have changed, by choice or by the device. */
export function onThemeChange(listener: () => void): () => void {
  const device = matchMedia("(prefers-color-scheme: dark)");
  listeners.add(listener);
  device.addEventListener("change", listener);
  return () => {
    listeners.delete(listener);
    device.removeEventListener("change", listener);
  };
}

/** The chosen theme. */
export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, readTheme, () => "system");
}
