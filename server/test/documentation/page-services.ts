import { type Config, readConfig } from "../../src/app/config/config.ts";
import { startUpstream, type Upstream } from "../support/scripted-upstream.ts";
import { type StartedService, startServiceOn } from "../support/started-service.ts";
import { copyTestDatabase, createMigratedDatabase, type TestDatabase } from "../support/test-database.ts";
import { answerForProviders } from "./stand-in-provider.ts";

/** Starts the services of pages, which all know the models of the same stand-in for the providers. */
export class PageServices {
  readonly upstream: Upstream;
  /** The store of a service that has found the models. To find them takes longer than to copy them. */
  readonly #model: TestDatabase;

  private constructor(upstream: Upstream, model: TestDatabase) {
    this.upstream = upstream;
    this.#model = model;
  }

  static async open(): Promise<PageServices> {
    const upstream = await startUpstream(answerForProviders);
    const model = await createMigratedDatabase();
    const service = await startServiceOn(model.address, settingsFor(upstream));
    await service.stop();
    return new PageServices(upstream, model);
  }

  /** A service on a store of its own. */
  async start(): Promise<StartedService> {
    const store = await copyTestDatabase(this.#model);
    const service = await startServiceOn(store.address, settingsFor(this.upstream));
    return {
      ...service,
      async stop() {
        await service.stop();
        await store.drop();
      },
    };
  }

  async close(): Promise<void> {
    await this.upstream.close();
    await this.#model.drop();
  }
}

/** The keys of three providers, all of which the stand-in plays. */
function settingsFor({ url }: Upstream): (config: Config) => Config {
  const { discovery, ownKeyFeePpm } = readConfig({
    TRUNKLINE_LOCAL_SERVERS: "off",
    OPENAI_API_KEY: "openai-key",
    OPENAI_BASE_URL: `${url}/v1`,
    ANTHROPIC_API_KEY: "anthropic-key",
    ANTHROPIC_BASE_URL: url,
    GEMINI_API_KEY: "gemini-key",
    GOOGLE_GEMINI_BASE_URL: url,
  });
  return (config) => ({ ...config, discovery, ownKeyFeePpm });
}
