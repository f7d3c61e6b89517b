/** The classes of a link in running text, for the router's `Link`. */
export const TEXT_LINK =
  "rounded-sm text-accent-text underline decoration-line-strong underline-offset-3 hover:decoration-current";
