// The direction of imports. Rooms never import each other: they meet in line.ts, and build-house.ts builds them.
const ROOMS =
  "auth|limits|validate|route|safety|providers|billing|accounts|alerts|people|organisations|cache|batches";
const TEST = "\\.test\\.tsx?$";

export default {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "rooms-never-import-each-other",
      severity: "error",
      from: { path: `^server/src/(${ROOMS})/`, pathNot: TEST },
      to: { path: `^server/src/(${ROOMS})/`, pathNot: "^server/src/$1/" },
    },
    {
      name: "rooms-know-neither-http-nor-sql-nor-the-house",
      severity: "error",
      from: { path: `^server/src/(${ROOMS})/`, pathNot: TEST },
      to: { path: "^server/src/(edge|store|wire|line|house|config|main)" },
    },
    {
      name: "the-kit-has-no-domain",
      severity: "error",
      from: { path: "^server/src/kit/" },
      to: { path: "^server/src/(?!kit/)" },
    },
    {
      name: "the-domain-stands-on-the-kit-alone",
      severity: "error",
      from: { path: "^server/src/domain/", pathNot: TEST },
      to: { path: "^server/src/(?!kit/|domain/)" },
    },
    {
      name: "the-store-knows-the-rooms-only-by-their-types",
      severity: "error",
      from: { path: "^server/src/store/", pathNot: TEST },
      to: { path: `^server/src/(${ROOMS})/`, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "only-the-store-knows-sql",
      severity: "error",
      from: { pathNot: "^server/(src/store|test)/" },
      to: { path: "node_modules/pg/" },
    },
    {
      name: "only-the-edge-knows-http",
      severity: "error",
      from: { path: "^server/src/", pathNot: "^server/src/edge/" },
      to: { path: "node_modules/(fastify|@scalar)/" },
    },
    {
      name: "only-the-dialer-dials",
      severity: "error",
      from: { path: "^server/src/", pathNot: "^server/src/kit/" },
      to: { path: "node_modules/undici/" },
    },
    {
      name: "the-dashboards-components-have-no-domain",
      severity: "error",
      from: { path: "^web/src/ui/" },
      to: { path: "^web/src/(features|app|api|shared)/" },
    },
    {
      name: "features-never-import-each-other-or-the-app",
      severity: "error",
      from: { path: "^web/src/features/([^/]+)/" },
      to: { path: "^web/src/(features|app)/", pathNot: "^web/src/features/$1/" },
    },
    {
      name: "what-pages-share-imports-none-of-them",
      severity: "error",
      from: { path: "^web/src/shared/" },
      to: { path: "^web/src/(features|app)/" },
    },
    {
      name: "the-dashboards-calls-know-the-sdk-alone",
      severity: "error",
      from: { path: "^web/src/api/" },
      to: { path: "^web/src/(ui|features|app|shared)/" },
    },
    {
      name: "the-dashboard-knows-the-server-by-the-sdk-alone",
      severity: "error",
      from: { path: "^web/src/" },
      to: { path: "^(server|scripts|torture|bench)/" },
    },
    {
      name: "the-sdk-stands-alone",
      severity: "error",
      from: { path: "^sdk/src/", pathNot: TEST },
      to: { pathNot: "^sdk/src/" },
    },
    {
      name: "nothing-imports-tests",
      severity: "error",
      from: { pathNot: `${TEST}|^server/test/` },
      to: { path: `${TEST}|^server/test/` },
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
