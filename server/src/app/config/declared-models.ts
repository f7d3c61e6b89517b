import { type DataClaim, toDataClaim } from "@trunkline/core/data-rules.ts";
import { modelTermsSchema, toModelTerms } from "../../http/requests/model-schema.ts";
import { ConfigError, type ConfigFile } from "./config-file.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A model that the configuration file declares. */
export interface DeclaredModel {
  readonly provider: string;
  readonly name: string;
  readonly terms: ReturnType<typeof toModelTerms>;
}

/** The models of the file, with their credentials out of the environment. */
export function readModels(file: ConfigFile, environment: Environment): readonly DeclaredModel[] {
  return requireUniqueModels(file.models.map((model) => declare(model, file, environment)));
}

function requireUniqueModels(models: readonly DeclaredModel[]): readonly DeclaredModel[] {
  const names = models.map(({ provider, name }) => `${provider}/${name}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigError(`The model ${twice} is declared twice.`);
  return models;
}

function declare(model: ConfigFile["models"][number], file: ConfigFile, environment: Environment): DeclaredModel {
  const { name, provider = "operator", credential_env: variable, ...terms } = model;
  const credential = variable === undefined ? terms.credential : environment[variable];
  if (variable !== undefined && credential === undefined) {
    throw new ConfigError(`The model ${name} takes its credential from the variable ${variable}, which is not set.`);
  }
  if (variable !== undefined && !modelTermsSchema.shape.credential.safeParse(credential).success) {
    throw new ConfigError(
      `The variable ${variable}, the credential of the model ${name}, must be printable ASCII without spaces.`,
    );
  }
  const backups = [...(terms.backups ?? []), ...(Object.hasOwn(file.backups, name) ? (file.backups[name] ?? []) : [])];
  const data = terms.data ?? file.data_claims[provider];
  return { provider, name, terms: toModelTerms({ ...terms, credential, backups, data }) };
}

export function readDataClaims({ data_claims: claims }: ConfigFile): ReadonlyMap<string, DataClaim> {
  return new Map(
    Object.entries(claims).flatMap(([provider, body]) => {
      const claim = toDataClaim(body);
      return claim === undefined ? [] : [[provider, claim] as const];
    }),
  );
}
