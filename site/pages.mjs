// @ts-check

/** @typedef {{ title: string, about: string, files: readonly string[] }} Group */

/** The groups of the sidebar, in order, with the files of their pages. @type {readonly Group[]} */
export const GROUPS = [
  {
    title: "Start",
    about: "From an empty folder to the first answer.",
    files: [
      "docs/quick-start.md",
      "docs/dashboard.md",
      "docs/command-line.md",
      "docs/libraries.md",
      "sdk/README.md",
      "sdk-python/README.md",
      "ai-sdk-provider/README.md",
    ],
  },
  {
    title: "Guides",
    about: "One task each, step by step.",
    files: [
      "docs/guides/openai-application.md",
      "docs/guides/claude-code.md",
      "docs/guides/codex.md",
      "docs/guides/other-agents.md",
      "docs/guides/cut-cost.md",
      "docs/guides/team-budgets.md",
      "docs/guides/conversations.md",
      "docs/guides/web-page.md",
      "docs/guides/search.md",
      "docs/guides/run-batches.md",
      "docs/guides/presets.md",
      "docs/guides/safety-rules.md",
      "docs/guides/what-happened.md",
      "docs/guides/your-own-model.md",
      "docs/guides/several-instances.md",
      "docs/guides/move-over.md",
    ],
  },
  {
    title: "API formats",
    about: "Use the libraries and agents that you have.",
    files: [
      "docs/openai.md",
      "docs/anthropic.md",
      "docs/gemini.md",
      "docs/ollama.md",
      "docs/mcp.md",
      "docs/batches.md",
      "docs/compatibility.md",
    ],
  },
  {
    title: "Money",
    about: "What a request costs, who pays, and how to spend less.",
    files: [
      "docs/money.md",
      "docs/tokens.md",
      "docs/payments.md",
      "docs/provider-earnings.md",
      "docs/proof-of-liabilities.md",
      "docs/x402.md",
      "docs/caching.md",
      "docs/webhooks.md",
    ],
  },
  {
    title: "Operators",
    about: "Run the service and offer models.",
    files: [
      "docs/configuration.md",
      "docs/deployment.md",
      "docs/operations.md",
      "docs/telemetry.md",
      "docs/back-up.md",
      "docs/high-availability.md",
      "docs/scaling.md",
      "docs/own-keys.md",
      "docs/providers.md",
      "examples/provider/README.md",
      "docs/accounts.md",
      "docs/organisations.md",
      "docs/single-sign-on.md",
      "SECURITY.md",
    ],
  },
  {
    title: "Reference",
    about: "Every operation, error and rule, and what was measured.",
    files: [
      "docs/api.md",
      "docs/errors.md",
      "docs/models.md",
      "docs/routing.md",
      "docs/everyday-routes.md",
      "docs/router-model-card.md",
      "docs/safety.md",
      "docs/guardrails.md",
      "docs/privacy.md",
      "docs/safety-coverage.md",
      "docs/safety-model-card.md",
      "docs/benchmarks.md",
      "ARCHITECTURE.md",
      "CONTRIBUTING.md",
      "CHANGELOG.md",
    ],
  },
];

/** The path of a file's page, below the site's base. @param {string} file */
export function pathOf(file) {
  const name = file.replace(/^docs\//, "").replace(/\/README\.md$/, ".md");
  return name.toLowerCase().replace(/\.md$/, ".html");
}

/** What the site is built from. */
export const SITE_SOURCES = [
  "docs",
  "site",
  "web/public/favicon.svg",
  "package-lock.json",
  ...GROUPS.flatMap(({ files }) => files.filter((file) => !file.startsWith("docs/"))),
];
