import type { Model } from "@trunkline/core/model.ts";
import { Secret } from "@trunkline/core/secret.ts";
import { describe, expect, it } from "vitest";
import { cloudCredentialOf, explainUnfitCredential, readCloudCredential } from "./cloud-credential.ts";

const SERVICE_ACCOUNT = {
  type: "service_account",
  project_id: "my-project",
  private_key_id: "abcdef0123456789",
  private_key: "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n",
  client_email: "gateway@my-project.iam.gserviceaccount.com",
  token_uri: "https://oauth2.googleapis.com/token",
};
const ENTRA = { tenant_id: "contoso.com", client_id: "00000000-1111-2222", client_secret: "secret~with spaces?" };
const json = (fields: object) => JSON.stringify(fields, null, 2);
const placed = (fields: object, model: object) =>
  cloudCredentialOf(new Secret(json(fields)))?.place(model as Model) ?? expect.fail("no cloud credential");

describe("a credential", () => {
  it.each(["sk-plain", "AKIA:secret", "{not json", '{"some": "thing"}'])("%s is taken for a key", (text) => {
    expect(cloudCredentialOf(new Secret(text))).toBeUndefined();
  });

  it("is read once, and the model's place is found once", () => {
    const secret = new Secret(json(SERVICE_ACCOUNT));
    const model = {
      endpoint: "https://aiplatform.googleapis.com/v1/projects/-/locations/-/publishers/google",
    } as Model;
    expect(cloudCredentialOf(secret)).toBe(cloudCredentialOf(secret));
    expect(cloudCredentialOf(secret)?.place(model)).toBe(cloudCredentialOf(secret)?.place(model));
  });
});

describe("a service account", () => {
  const endpoint = "https://aiplatform.googleapis.com/v1/projects/-/locations/-/publishers/google";

  it("names the project, and the location, which is the host's as well", () => {
    expect(placed(SERVICE_ACCOUNT, { endpoint }).endpoint).toBe(
      "https://aiplatform.googleapis.com/v1/projects/my-project/locations/global/publishers/google",
    );
    expect(placed({ ...SERVICE_ACCOUNT, location: "europe-west4" }, { endpoint }).endpoint).toBe(
      "https://europe-west4-aiplatform.googleapis.com/v1/projects/my-project/locations/europe-west4/publishers/google",
    );
  });

  it("leaves an address that is whole", () => {
    const whole =
      "https://us-east5-aiplatform.googleapis.com/v1/projects/other/locations/us-east5/publishers/anthropic";
    expect(placed({ ...SERVICE_ACCOUNT, location: "europe-west4" }, { endpoint: whole }).endpoint).toBe(whole);
  });

  it.each([
    ["without a key", { private_key: undefined }, "private_key"],
    ["with something else as its key", { private_key: "hello" }, "PEM"],
    ["with a path for a project", { project_id: "../../evil" }, "project_id"],
    ["with a path for a location", { location: "eu/../x" }, "location"],
    ["with no address of tokens", { token_uri: "file:///etc/passwd" }, "token_uri"],
  ])("is refused %s", (_, change, said) => {
    expect(readCloudCredential(json({ ...SERVICE_ACCOUNT, ...change }))).toContain(said);
  });
});

describe("an Azure credential", () => {
  const model = { name: "gpt-4o", discovered: true, endpoint: "https://-.openai.azure.com/openai/v1" };

  it("names the resource of discovered models, in the newer form", () => {
    expect(placed({ ...ENTRA, endpoint: "https://mine.openai.azure.com/" }, model)).toMatchObject({
      endpoint: "https://mine.openai.azure.com/openai/v1",
      upstreamModel: undefined,
    });
  });

  it("names deployments, in the older form with a version", () => {
    const fields = { api_key: "k", endpoint: "https://mine.openai.azure.com", api_version: "2024-10-21" };
    expect(placed({ ...fields, deployments: { "gpt-4o": "chat-prod" } }, model)).toMatchObject({
      endpoint: "https://mine.openai.azure.com?api-version=2024-10-21",
      upstreamModel: "chat-prod",
    });
  });

  it("leaves the address of a registered model", () => {
    const registered = { name: "mine", endpoint: "https://elsewhere.example/openai/v1" };
    expect(placed({ ...ENTRA, endpoint: "https://mine.openai.azure.com" }, registered).endpoint).toBe(
      registered.endpoint,
    );
  });

  it("asks the tenant's cloud for tokens", () => {
    const grantOf = (fields: object) => {
      const cloud = readCloudCredential(json(fields));
      return typeof cloud === "string" ? expect.fail(cloud) : cloud.grant;
    };
    expect(grantOf(ENTRA)).toMatchObject({
      url: "https://login.microsoftonline.com/contoso.com/oauth2/v2.0/token",
      form: { grant_type: "client_credentials", scope: "https://cognitiveservices.azure.com/.default" },
    });
    expect(grantOf({ ...ENTRA, authority_host: "https://login.microsoftonline.us/" })).toMatchObject({
      form: { scope: "https://cognitiveservices.azure.us/.default" },
    });
  });

  it.each([
    ["another host", { endpoint: "https://evil.example" }, "endpoint"],
    ["a host that ends alike", { endpoint: "https://evilopenai.azure.com.example" }, "endpoint"],
    ["plain http", { endpoint: "http://mine.openai.azure.com" }, "endpoint"],
    ["a port", { endpoint: "https://mine.openai.azure.com:8443" }, "endpoint"],
    ["a path as its tenant", { tenant_id: "a/../b" }, "tenant_id"],
    ["no secret", { client_secret: undefined }, "client_secret"],
    ["deployments as a list", { deployments: ["a"] }, "deployments"],
    ["a version with a query", { api_version: "1&x=2" }, "api_version"],
  ])("is refused with %s", (_, change, said) => {
    expect(readCloudCredential(json({ ...ENTRA, ...change }))).toContain(said);
  });
});

describe("explainUnfitCredential", () => {
  const explain = explainUnfitCredential;

  it("lets pass what fits", () => {
    expect(explain("openai", "sk-1", true)).toBeUndefined();
    expect(explain("azure", "key", true)).toBeUndefined();
    expect(explain("vertex", json(SERVICE_ACCOUNT), true)).toBeUndefined();
    expect(explain("azure", json({ ...ENTRA, endpoint: "https://mine.openai.azure.com" }), false)).toBeUndefined();
    expect(explain("azure", json(ENTRA), true)).toBeUndefined();
  });

  it("says what is missing, or that it is for another provider", () => {
    expect(explain("vertex", "AIza-key", true)).toContain("service account");
    expect(explain("azure", "key", false)).toContain("endpoint");
    expect(explain("azure", json(ENTRA), false)).toContain("endpoint");
    expect(explain("vertex", json({ ...SERVICE_ACCOUNT, project_id: undefined }), true)).toContain("project_id");
    expect(explain("openai", json(SERVICE_ACCOUNT), true)).toContain("vertex");
    expect(explain("vertex", "{oops", true)).toContain("JSON");
  });

  it("lets no account choose where tokens are requested", () => {
    const elsewhere = { ...SERVICE_ACCOUNT, token_uri: "http://169.254.169.254/token" };
    expect(explain("vertex", json(elsewhere), true)).toContain("identity service");
    const alike = { ...SERVICE_ACCOUNT, token_uri: "https://oauth2.googleapis.com.evil.example/token" };
    expect(explain("vertex", json(alike), true)).toContain("identity service");
  });
});
