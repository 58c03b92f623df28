import type { Protocol } from '@tollgate/vocabulary';
import { CODECS } from '../registry.ts';
import { type Dialect, plainName, type ExplicitDialect } from './dialect.ts';

/**
 * What a model takes: by the rules for its name at the upstream, unless the upstream takes it otherwise or the catalogue states
 * something else of the model. To be looked up once for each snapshot of the catalogue, not for each request.
 */
export function findDialect(
  protocol: Protocol,
  upstreamModel: string,
  stated: ExplicitDialect & { readonly max_output_tokens?: number | null } = {},
  atUpstream: ExplicitDialect = {},
): Dialect {
  const { usual, rules } = CODECS[protocol].dialects;
  const name = plainName(upstreamModel);
  const known = rules.filter(({ models }) => models.test(name)).map(({ says }) => says);
  const said = [...known, atUpstream];
  const refused = [usual, ...said].flatMap(({ refused_fields: fields = [] }) => fields);
  const all = { refused_fields: [...new Set(refused)] };
  const max = known.findLast((each) => each.max_output_tokens !== undefined)?.max_output_tokens ?? null;
  const limit = { max_output_tokens: stated.max_output_tokens ?? max };
  return Object.assign({}, usual, ...said, all, stated, limit) as Dialect;
}
