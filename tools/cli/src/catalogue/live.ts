import { type Catalogue, catalogueSchema, credentialSchema, upstreamSchema } from '@tollgate/catalogue';
import { z } from 'zod';
import type { Api } from '../api/client.ts';

const shownUpstream = upstreamSchema.omit({ credentials: true }).extend({
  credentials: z.array(credentialSchema.omit({ sealed: true }).extend({ has_secret: z.boolean() })),
});
const shownSchema = z.object({
  version: z.int(),
  catalogue: catalogueSchema.extend({ upstreams: z.array(shownUpstream) }),
});

interface LiveCatalogue {
  readonly version: number;
  /** Its secrets are not known: `sealed` is the empty text in all of them. */
  readonly catalogue: Catalogue;
}

/** The catalogue that holds at the moment. @throws Failure */
export async function liveCatalogue(api: Api): Promise<LiveCatalogue> {
  const { version, catalogue } = await api.ask(shownSchema, '/api/catalogue');
  return {
    version,
    catalogue: {
      ...catalogue,
      upstreams: catalogue.upstreams.map((upstream) => ({
        ...upstream,
        credentials: upstream.credentials.map(({ has_secret: _has, ...credential }) => ({
          ...credential,
          sealed: '',
        })),
      })),
    },
  };
}
