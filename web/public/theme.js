// Runs before the first paint, so that a chosen theme never flashes. web/src/ui/theme.ts has the rest.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage can be forbidden; then the system's theme counts.
}
