import { catalogueEntries } from '@tollgate/api';
import { type Catalogue, catalogueSchema } from '@tollgate/catalogue';
import type { Api } from '../api/client.ts';

interface LiveCatalogue {
  readonly version: number;
  /** Its secrets are not known: `sealed` is the empty text in all of them. */
  readonly catalogue: Catalogue;
}

/** The catalogue that holds at the moment. @throws Failure */
export async function liveCatalogue(api: Api): Promise<LiveCatalogue> {
  const { version, catalogue } = await api.ask(catalogueEntries.showCatalogue);
  return {
    version,
    catalogue: catalogueSchema.parse({
      ...catalogue,
      upstreams: catalogue.upstreams.map((upstream) => ({
        ...upstream,
        credentials: upstream.credentials.map(({ has_secret: _has, ...credential }) => ({
          ...credential,
          sealed: '',
        })),
      })),
    }),
  };
}
