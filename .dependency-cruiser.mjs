// The direction of imports: core ← packages ← server, and inside the server http → pipeline → services ← store (by type).
const SERVICES = "ledger|identity|notify|batches|cache|stored-responses|payments|tls|telemetry|guardrails";
const TEST = "\\.test\\.tsx?$";
const TEST_CODE = `${TEST}|/training/simulation/|^server/test/|^packages/testing/|^web/e2e/|^chaos/`;

export default {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "core-imports-nothing-of-ours",
      severity: "error",
      from: { path: "^packages/core/src/", pathNot: TEST },
      to: { path: "^(packages|server)/", pathNot: "^packages/core/src/" },
    },
    {
      name: "packages-import-core-alone",
      severity: "error",
      from: { path: "^packages/(guard|router|providers|local-models|local-postgres)/src/", pathNot: TEST },
      to: { path: "^(packages|server)/", pathNot: "^packages/(core|$1)/src/" },
    },
    {
      name: "nothing-imports-training",
      severity: "error",
      from: { pathNot: `/training/|${TEST_CODE}` },
      to: { path: "^packages/[^/]+/training/" },
    },
    {
      name: "services-never-import-each-other",
      comment: "Only identity imports notify: it sends mail.",
      severity: "error",
      from: { path: `^server/src/(${SERVICES})/`, pathNot: TEST },
      to: { path: "^server/src/", pathNot: "^server/src/($1|notify)/" },
    },
    {
      name: "notify-imports-no-service",
      severity: "error",
      from: { path: "^server/src/notify/", pathNot: TEST },
      to: { path: "^server/src/", pathNot: "^server/src/notify/" },
    },
    {
      name: "pipeline-knows-neither-http-nor-sql",
      severity: "error",
      from: { path: "^server/src/pipeline/", pathNot: TEST },
      to: { path: "^server/src/(http|store)/" },
    },
    {
      name: "store-knows-the-rest-by-type-alone",
      severity: "error",
      from: { path: "^server/src/store/", pathNot: TEST },
      to: { path: "^server/src/", pathNot: "^server/src/store/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "only-the-store-knows-sql",
      severity: "error",
      from: { pathNot: "^(server/src/store/|server/test/|packages/local-postgres/|chaos/)" },
      to: { path: "node_modules/pg/" },
    },
    {
      name: "only-http-knows-http",
      severity: "error",
      from: { path: "^(server/src|packages)/", pathNot: "^server/src/http/" },
      to: { path: "node_modules/(fastify|@scalar)/" },
    },
    {
      name: "the-start-loads-no-framework",
      comment: "What only Fastify serves is loaded with the first request for it.",
      severity: "error",
      from: {
        path: "^server/src/",
        pathNot: `^server/src/http/(server/other-requests|openapi/)|${TEST}`,
      },
      to: {
        path: "^server/src/http/server/(other-requests|endpoint-registry)\\.ts$|node_modules/fastify/",
        dependencyTypesNot: ["dynamic-import", "type-only"],
      },
    },
    {
      name: "only-the-dialer-dials",
      severity: "error",
      from: { path: "^(server/src|packages)/", pathNot: "^packages/providers/src/dialer/" },
      to: { path: "node_modules/undici/" },
    },
    {
      name: "dashboard-components-have-no-domain",
      severity: "error",
      from: { path: "^web/src/ui/" },
      to: { path: "^web/src/(features|app|api|shared)/" },
    },
    {
      name: "dashboard-features-never-import-each-other",
      severity: "error",
      from: { path: "^web/src/features/([^/]+)/" },
      to: { path: "^web/src/(features|app)/", pathNot: "^web/src/features/$1/" },
    },
    {
      name: "dashboard-shared-imports-no-page",
      severity: "error",
      from: { path: "^web/src/shared/" },
      to: { path: "^web/src/(features|app)/" },
    },
    {
      name: "dashboard-api-knows-the-sdk-alone",
      severity: "error",
      from: { path: "^web/src/api/" },
      to: { path: "^web/src/(ui|features|app|shared)/" },
    },
    {
      name: "dashboard-knows-the-server-by-the-sdk-alone",
      severity: "error",
      from: { path: "^web/src/" },
      to: { path: "^(packages|server|scripts|chaos|bench)/" },
    },
    {
      name: "users-commands-know-the-server-by-the-sdk-alone",
      severity: "error",
      from: { path: "^server/src/cli/", pathNot: TEST },
      to: { path: "^(packages|server)/", pathNot: "^server/src/cli/" },
    },
    {
      name: "sdk-stands-alone",
      severity: "error",
      from: { path: "^sdk/src/", pathNot: TEST },
      to: { pathNot: "^sdk/src/" },
    },
    {
      name: "ai-sdk-provider-stands-alone",
      severity: "error",
      from: { path: "^ai-sdk-provider/src/" },
      to: { path: "^(packages|server|sdk|web|scripts|chaos|bench)/" },
    },
    {
      name: "only-tests-import-test-code",
      severity: "error",
      from: { pathNot: TEST_CODE },
      to: { path: `${TEST}|^server/test/|^packages/testing/` },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
