import { z } from 'zod';

const MAX_MODELS = 5_000;

const entry = z.looseObject({ id: z.string().optional(), name: z.string().optional() });
/** OpenAI and Anthropic list `data`, Gemini `models`; some vendors answer with the bare list. */
const listSchema = z.union([
  z.looseObject({ data: z.array(entry) }).transform(({ data }) => data),
  z.looseObject({ models: z.array(entry) }).transform(({ models }) => models),
  z.array(entry),
]);

/** The names of the models that an upstream says it has. @throws where it says none. */
export function readModelList(body: Buffer): string[] {
  const list = listSchema.safeParse(parseJson(body));
  if (!list.success) throw new Error('It answered with no list of models.');
  const names = list.data.map(({ id, name }) => id ?? name?.replace(/^models\//, '') ?? '');
  return [...new Set(names.filter((name) => name !== ''))].slice(0, MAX_MODELS);
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
