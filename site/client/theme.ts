/** The dashboard keeps its theme under the same name, so that both look the same. */
const KEY = "theme";

/** Shows the theme that was chosen, or else the system's. */
export function applyTheme(): void {
  try {
    const theme = localStorage.getItem(KEY);
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage can be forbidden; then the system's theme counts.
  }
}

/** The button that changes between light and dark. */
export function addTheme(): void {
  const button = document.querySelector<HTMLButtonElement>("#theme");
  if (button === null) return;
  const isDark = () =>
    (document.documentElement.dataset.theme ??
      (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const label = () => (button.textContent = isDark() ? "Light" : "Dark");
  label();
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    label();
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // The choice then holds for this page alone.
    }
  });
}
