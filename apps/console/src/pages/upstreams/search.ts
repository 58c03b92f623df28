import { readTexts } from '../../shared/search-params.ts';

/** What the address of the upstreams says. */
interface UpstreamsSearch {
  readonly tab?: 'pools';
  /** The upstream or pool that is edited; "+" is a new one. */
  readonly edit?: string;
  /** The upstream whose credentials and gateways are looked at. */
  readonly open?: string;
  /** Whether a provider is being added. */
  readonly add?: 'provider';
}

export type ChangeSearch = (change: {
  [name in keyof UpstreamsSearch]?: UpstreamsSearch[name] | undefined;
}) => void;

export function readUpstreamsSearch(search: Readonly<Record<string, unknown>>): UpstreamsSearch {
  const { edit, open } = readTexts(search, ['edit', 'open']);
  return {
    ...(search['tab'] === 'pools' ? { tab: 'pools' } : {}),
    ...(search['add'] === 'provider' ? { add: 'provider' } : {}),
    ...(edit === undefined ? {} : { edit }),
    ...(open === undefined ? {} : { open }),
  };
}
