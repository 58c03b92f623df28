import { parseJson } from '@tollgate/protocols';
import { z } from 'zod';

const MAX_MODELS = 5_000;

const entry = z.looseObject({ id: z.string().optional(), name: z.string().optional() });
/** Bedrock serves some models through inference profiles alone: by their own ids they answer nobody. */
const summary = z.looseObject({
  modelId: z.string(),
  inferenceTypesSupported: z.array(z.string()).optional(),
});
const profile = z.looseObject({ inferenceProfileId: z.string() });
const published = z.looseObject({ name: z.string(), versionId: z.string().optional() });
const nextToken = z.string().min(1).optional();

type Entry = z.infer<typeof entry>;
const nameEntry = ({ id, name }: Entry): string => id ?? name?.replace(/^models\//, '') ?? '';

/** Vertex names models of its partners with their versions, its own without. */
function namePublished({ name, versionId }: z.infer<typeof published>): string {
  const [, publisher = '', model = ''] = /^publishers\/([^/]+)\/models\/(.+)$/.exec(name) ?? [];
  return publisher === 'google' || versionId === undefined ? model : `${model}@${versionId}`;
}

const whole = (names: readonly string[]) => ({ names, parameter: '', token: undefined });
/** OpenAI and Anthropic list `data`, Gemini `models`, each cloud as it names things; some vendors answer with the bare list. */
const listSchema = z.union([
  z.looseObject({ data: z.array(entry) }).transform(({ data }) => whole(data.map(nameEntry))),
  z.looseObject({ models: z.array(entry) }).transform(({ models }) => whole(models.map(nameEntry))),
  z
    .looseObject({ modelSummaries: z.array(summary) })
    .transform(({ modelSummaries }) =>
      whole(
        modelSummaries.flatMap(({ modelId, inferenceTypesSupported: types }) =>
          types === undefined || types.includes('ON_DEMAND') ? modelId : [],
        ),
      ),
    ),
  z
    .looseObject({ inferenceProfileSummaries: z.array(profile), nextToken: nextToken.nullish() })
    .transform(({ inferenceProfileSummaries: profiles, nextToken: token }) => ({
      names: profiles.map(({ inferenceProfileId }) => inferenceProfileId),
      parameter: 'nextToken',
      token: token ?? undefined,
    })),
  z
    .looseObject({ publisherModels: z.array(published), nextPageToken: z.string().optional() })
    .transform(({ publisherModels, nextPageToken: token }) => ({
      names: publisherModels.map(namePublished),
      parameter: 'pageToken',
      token: token === '' ? undefined : token,
    })),
  z.array(entry).transform((list) => whole(list.map(nameEntry))),
]);

export interface ModelListPage {
  readonly models: readonly string[];
  /** How the next page is asked for; undefined of the last. */
  readonly next: { readonly parameter: string; readonly token: string } | undefined;
}

/** The names of the models that an upstream says it has. @throws where it says none. */
export function readModelList(body: Buffer): ModelListPage {
  const list = listSchema.safeParse(parseJson(body.toString()));
  if (!list.success) throw new Error('It answered with no list of models.');
  const { names, parameter, token } = list.data;
  const models = [...new Set(names.filter((name) => name !== ''))].slice(0, MAX_MODELS);
  return { models, next: token === undefined ? undefined : { parameter, token } };
}
