import type { SafetyCategory } from "@trunkline/core/safety-category.ts";
import { Secret } from "@trunkline/core/secret.ts";
import type { ScoreRange } from "@trunkline/guard/judge/doubts.ts";
import type { JudgeKind } from "@trunkline/providers/moderation-judges/all-judge-formats.ts";
import type { z } from "zod";
import { judgeCategoriesOf, type judgeConfigSchema } from "../../http/requests/judge-schema.ts";
import { ConfigError } from "./config-file.ts";

/** A moderation endpoint that may be asked. */
export interface JudgeEndpoint {
  readonly kind: JudgeKind;
  readonly url: string;
  readonly key: Secret | undefined;
  readonly model: string | undefined;
}

/** Who is asked about doubtful texts, and on which terms. */
export interface JudgeConfig {
  /** `provider/name` of a model, or an endpoint. */
  readonly by: string | JudgeEndpoint;
  readonly timeBoxMs: number;
  readonly onFailure: "open" | "closed";
  readonly categories: readonly SafetyCategory[];
  readonly band: ScoreRange | undefined;
  readonly atOnce: number;
}

/** The judge of a file, with its key out of the environment. */
export function readJudge(
  judge: z.output<typeof judgeConfigSchema> | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): JudgeConfig | undefined {
  if (judge === undefined) return undefined;
  const { model, endpoint: asked } = judge;
  const by = asked === undefined ? model : { ...asked, key: judgeKey(asked.api_key_env, environment) };
  if (by === undefined) return undefined;
  return {
    by: typeof by === "string" ? by : { kind: by.kind, url: by.url, key: by.key, model: by.model },
    timeBoxMs: judge.time_box_ms,
    onFailure: judge.on_failure,
    categories: judge.categories ?? judgeCategoriesOf(asked?.kind),
    band: judge.band,
    atOnce: judge.at_once,
  };
}

function judgeKey(
  variable: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Secret | undefined {
  if (variable === undefined) return undefined;
  const key = environment[variable];
  if (key === undefined)
    throw new ConfigError(`safety.judge takes its key from the variable ${variable}, which is not set.`);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new ConfigError(
      `The variable ${variable}, the key of safety.judge, must be printable ASCII without spaces.`,
    );
  return new Secret(key);
}
