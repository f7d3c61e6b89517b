import { logit, Matrix, sigmoid } from "./matrix.ts";
import type { Example } from "./training-data.ts";

/**
 * The prior spread of a model's ability in a family around its claim, and in a domain around its family, in log-odds.
 * Domains are close to their family: a few outcomes that differ more are chance, or harder questions.
 */
const FAMILY_SPREAD = 0.7;
const DOMAIN_SPREAD = 0.2;
const EASE_SPREAD = 10;
const ROUNDS = 60;

/** The bounds of the strength of a model in a family. */
const MAX_STANDING = 1.5;

/** Models and domains by their indexes. */
export interface TrainingLayout {
  readonly domains: readonly string[];
  readonly families: readonly string[];
  /** By domain: the index of its family; -1: no outcomes. */
  readonly familyOf: readonly number[];
  readonly models: readonly string[];
  readonly claims: readonly number[];
}

export interface Abilities {
  /** By model and domain, in log-odds; NaN: no outcomes of the model in the family. */
  readonly abilities: Matrix;
  readonly outcomes: Matrix;
  /** By domain: how much easier it is than the subject of claims. */
  readonly ease: Float64Array;
  /** By model and family. */
  readonly strength: Matrix;
}

/**
 * Fits log-odds = ability of the model in the family + ease of the domain + an interaction, with the claims as prior of
 * the abilities. This puts pools with other models and harder questions on one scale.
 */
export function fitAbilities(examples: readonly Example[], trainingLayout: TrainingLayout): Abilities {
  const { domains, families, familyOf, models, claims } = trainingLayout;
  const tries = new Matrix(models.length, domains.length);
  const wins = new Matrix(models.length, domains.length);
  for (const { domain, outcomes } of examples) {
    const column = domains.indexOf(domain);
    for (const { model, score } of outcomes) {
      const row = models.indexOf(model);
      tries.add(row, column, 1);
      wins.add(row, column, score);
    }
  }
  const inFamily = new Matrix(models.length, families.length, Number.NaN);
  const special = new Matrix(models.length, domains.length);
  const ease = new Float64Array(domains.length);
  const cells = models.flatMap((_, model) =>
    domains.flatMap((_, domain) => {
      const family = familyOf[domain] ?? -1;
      const n = tries.get(model, domain);
      return n === 0 ? [] : [{ model, domain, family, n, won: wins.get(model, domain) }];
    }),
  );
  for (const { model, family } of cells) inFamily.set(model, family, logit(claims[model] ?? 0.5));

  for (let round = 0; round < ROUNDS; round++) {
    const slope = new Float64Array(domains.length);
    const bend = new Float64Array(domains.length);
    const gather = (visit: (cell: (typeof cells)[number], miss: number, curve: number) => void) => {
      for (const cell of cells) {
        const { model, domain, family, n, won } = cell;
        const p = sigmoid(inFamily.get(model, family) + (ease[domain] ?? 0) + special.get(model, domain));
        visit(cell, won - n * p, n * p * (1 - p));
      }
    };
    gather(({ domain }, miss, curve) => {
      slope[domain] = (slope[domain] ?? 0) + miss;
      bend[domain] = (bend[domain] ?? 0) + curve;
    });
    for (let domain = 0; domain < domains.length; domain++) {
      const now = ease[domain] ?? 0;
      ease[domain] =
        now + ((slope[domain] ?? 0) - now / EASE_SPREAD ** 2) / ((bend[domain] ?? 0) + 1 / EASE_SPREAD ** 2);
    }
    const push = new Matrix(models.length, families.length);
    const curve = new Matrix(models.length, families.length);
    gather(({ model, family }, miss, bent) => {
      push.add(model, family, miss);
      curve.add(model, family, bent);
    });
    models.forEach((_, model) => {
      families.forEach((_, family) => {
        const now = inFamily.get(model, family);
        if (Number.isNaN(now)) return;
        const away = now - logit(claims[model] ?? 0.5);
        const step = push.get(model, family) - away / FAMILY_SPREAD ** 2;
        inFamily.add(model, family, step / (curve.get(model, family) + 1 / FAMILY_SPREAD ** 2));
      });
    });
    gather(({ model, domain }, miss, bent) => {
      const step = miss - special.get(model, domain) / DOMAIN_SPREAD ** 2;
      special.add(model, domain, step / (bent + 1 / DOMAIN_SPREAD ** 2));
    });
  }

  const abilities = new Matrix(models.length, domains.length, Number.NaN);
  models.forEach((_, model) => {
    domains.forEach((_, domain) => {
      const family = familyOf[domain] ?? -1;
      if (family < 0) return;
      abilities.set(model, domain, inFamily.get(model, family) + (ease[domain] ?? 0) + special.get(model, domain));
    });
  });
  return { abilities, outcomes: tries, ease, strength: standingOf(inFamily, trainingLayout) };
}

function standingOf(inFamily: Matrix, { models, families }: TrainingLayout): Matrix {
  const strength = new Matrix(models.length, families.length);
  families.forEach((_, family) => {
    const seen = models.map((_, model) => inFamily.get(model, family)).filter((value) => !Number.isNaN(value));
    const middle = seen.reduce((sum, value) => sum + value, 0) / seen.length;
    models.forEach((_, model) => {
      const value = inFamily.get(model, family);
      if (Number.isNaN(value)) return;
      strength.set(model, family, Math.max(-MAX_STANDING, Math.min(MAX_STANDING, value - middle)));
    });
  });
  return strength;
}
