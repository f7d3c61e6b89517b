import { describe, expect, it } from "vitest";
import { tooOpen, unmetCondition } from "./workload-trust.ts";

const GITHUB = "https://token.actions.githubusercontent.com";

describe("unmetCondition", () => {
  const claims = {
    sub: "repo:acme/site:ref:refs/heads/main",
    repository: "acme/site",
    run_attempt: 1,
    groups: ["a", "b"],
    "kubernetes.io": { namespace: "prod", serviceaccount: { name: "web" } },
  };

  it.each([
    ["sub", "repo:acme/site:ref:refs/heads/main", true],
    ["sub", "repo:acme/*", true],
    ["sub", "*:ref:refs/heads/main", true],
    ["sub", "repo:*/site:*:refs/heads/main", true],
    ["sub", "repo:acme/site", false],
    ["sub", "repo:acme/site:ref:refs/heads/main*x", false],
    ["sub", "REPO:acme/*", false],
    ["repository", "acme/site*site", false],
    ["repository", "acme/*e/site", false],
    ["run_attempt", "1", true],
    ["groups", "b", true],
    ["kubernetes.io", "prod", false],
    ["missing", "*x", false],
    ["__proto__.constructor.name", "Object", false],
  ])("of the claim %s, %s: %s", (claim, value, isMet) => {
    expect(unmetCondition([{ claim, values: ["nothing like it", value] }], claims)).toBe(isMet ? undefined : claim);
  });

  it("needs every condition", () => {
    const conditions = [
      { claim: "repository", values: ["acme/site"] },
      { claim: "groups", values: ["c"] },
    ];
    expect(unmetCondition(conditions, claims)).toBe("groups");
  });

  it("reads claims inside claims by a path", () => {
    const nested = { outer: { inner: "x" }, "outer.inner": "y" };
    expect(unmetCondition([{ claim: "outer.inner", values: ["y"] }], nested)).toBeUndefined();
    expect(unmetCondition([{ claim: "outer.inner", values: ["x"] }], { outer: { inner: "x" } })).toBeUndefined();
  });
});

describe("tooOpen", () => {
  it.each([
    ["https://login.example.com", [{ claim: "sub", values: ["*"] }], true],
    ["https://login.example.com", [{ claim: "sub", values: ["a", "**"] }], true],
    ["https://login.example.com", [{ claim: "sub", values: ["job-*"] }], false],
    [GITHUB, [{ claim: "ref", values: ["refs/heads/main"] }], true],
    [GITHUB, [{ claim: "repository", values: ["*/site"] }], true],
    [GITHUB, [{ claim: "repository", values: ["acme/*"] }], false],
    [GITHUB, [{ claim: "repository", values: ["acme*"] }], true],
    [GITHUB, [{ claim: "repository", values: ["acme/site", "acm*"] }], true],
    [GITHUB, [{ claim: "repository_owner", values: ["acme"] }], false],
    [GITHUB, [{ claim: "repository_owner", values: ["acme*"] }], true],
    [GITHUB, [{ claim: "sub", values: ["repo:*"] }], true],
    [GITHUB, [{ claim: "sub", values: ["repo:acme*"] }], true],
    [GITHUB, [{ claim: "sub", values: ["repo:acme/*"] }], false],
    [GITHUB, [{ claim: "sub", values: ["repo:acme@12/site@34:ref:refs/heads/main"] }], false],
    [GITHUB, [{ claim: "sub", values: ["repository_owner:acme:environment:*"] }], false],
    [GITHUB, [{ claim: "sub", values: ["repository_owner_id:12*"] }], true],
    // A repository may choose such a subject for its own tokens.
    [GITHUB, [{ claim: "sub", values: ["environment:production"] }], true],
    [GITHUB, [{ claim: "job_workflow_ref", values: ["acme/shared/.github/workflows/deploy.yml@*"] }], false],
    ["https://gitlab.com", [{ claim: "sub", values: ["project_path:*"] }], true],
    ["https://gitlab.com", [{ claim: "sub", values: ["project_path:acme/*"] }], false],
    ["https://gitlab.com", [{ claim: "namespace_path", values: ["acme"] }], false],
    ["https://gitlab.com", [{ claim: "namespace_path", values: ["acme*"] }], true],
    ["https://agent.buildkite.com", [{ claim: "pipeline_slug", values: ["deploy"] }], true],
    ["https://agent.buildkite.com", [{ claim: "sub", values: ["organization:acme:pipeline:*"] }], false],
    ["https://oidc.circleci.com/org/1", [{ claim: "sub", values: ["org/*"] }], true],
    ["https://oidc.circleci.com/org/1", [{ claim: "sub", values: ["org/1/project/*"] }], false],
    ["https://accounts.google.com", [{ claim: "email", values: ["ci@*"] }], true],
    ["https://accounts.google.com", [{ claim: "email", values: ["ci@acme.iam.gserviceaccount.com"] }], false],
    [`${GITHUB}/acme`, [{ claim: "event_name", values: ["push"] }], true],
  ])("%s with %j: %s", (issuer, conditions, expected) => {
    expect(tooOpen({ issuer, conditions }) !== undefined).toBe(expected);
  });
});
