import type { SpotlightActionData, SpotlightActionGroupData } from '@mantine/spotlight';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { pricesQuery } from '../api/pricing.ts';
import { type SearchAnswer, searchQuery } from '../api/search.ts';
import { useErrorText } from '../shared/States.tsx';
import { useAllowed } from '../shared/use-allowed.ts';
import { PlaceIcon } from './PlaceIcon.tsx';
import { useLookup } from '../shared/use-lookup.ts';

interface Found {
  readonly groups: readonly SpotlightActionGroupData[];
  readonly isLooking: boolean;
}

const TYPING_MS = 150;
const MIN_LETTERS = 2;
const MAX_MODELS = 8;
/** So many accounts that are found are offered to be credited. */
const MAX_GRANTS = 3;
const ICON = { size: 18, stroke: 1.6 } as const;

/** What there is of a name: models of the price list, and what the service finds of all else that one may see. */
export function useFound(query: string, isSignedIn: boolean): Found {
  const { t } = useTranslation(['palette', 'common']);
  const router = useRouter();
  const errorText = useErrorText();
  const typed = query.trim();
  const [find] = useDebouncedValue(typed, TYPING_MS, { leading: true });
  const isLong = typed.length >= MIN_LETTERS;
  const isAsked = isSignedIn && isLong;
  const isCurrent = isAsked && find === typed;
  const { data, error, isFetching, refetch } = useQuery({ ...searchQuery(find), enabled: isCurrent });
  const models = useLookup({ ...pricesQuery, enabled: isLong }).data?.data ?? [];
  const others = useOthers(isCurrent ? data : undefined);
  const named = models.filter(
    ({ model_name }) => isLong && model_name.toLowerCase().includes(typed.toLowerCase()),
  );
  const ofModels = {
    group: t('models'),
    actions: named.slice(0, MAX_MODELS).map(({ model_name: model }) => ({
      id: `model ${model}`,
      label: model,
      leftSection: <PlaceIcon words="models" {...ICON} />,
      onClick: () => void router.navigate({ to: '/models', search: { model } }),
    })),
  };
  // No results would be untrue of what was not looked at.
  const failed = {
    group: t('common:failed.title'),
    actions:
      isCurrent && error
        ? [
            {
              id: 'failed',
              label: errorText(error),
              description: t('common:failed.retry'),
              closeSpotlightOnTrigger: false,
              onClick: () => void refetch(),
            },
          ]
        : [],
  };
  return {
    groups: [ofModels, ...others, failed].filter(({ actions }) => actions.length > 0),
    isLooking: isAsked && (isFetching || find !== typed),
  };
}

/** What the service found. */
function useOthers(found: SearchAnswer | undefined): readonly SpotlightActionGroupData[] {
  const { t } = useTranslation('palette');
  const router = useRouter();
  const seesAllKeys = useAllowed('accounts:write');
  const seesAllRequests = useAllowed('requests:read-all');
  const mayGrant = useAllowed('ledger:write');
  if (!found) return [];
  const { requests, keys, accounts, people } = found;
  const groups: [string, SpotlightActionData[]][] = [
    [
      t('requests'),
      requests.map(({ request_id: request, http_status: status }) => ({
        id: `request ${request}`,
        label: request,
        description: t('status', { status }),
        leftSection: <PlaceIcon words="usage" {...ICON} />,
        onClick: () =>
          void router.navigate({
            to: '/usage',
            search: { request, ...(seesAllRequests ? { account: 'all' } : {}) },
          }),
      })),
    ],
    [
      t('keys'),
      keys.map(({ id, name, masked, is_deleted, account_id, account_name }) => ({
        id: `key ${id}`,
        label: name,
        description: [masked, account_name, ...(is_deleted ? [t('deleted')] : [])].join(' · '),
        leftSection: <PlaceIcon words="keys" {...ICON} />,
        onClick: () =>
          void (seesAllKeys
            ? router.navigate({ to: '/usage', search: { key: id, account: account_id } })
            : router.navigate({ to: '/usage', search: { key: id } })),
      })),
    ],
    [
      t('accounts'),
      accounts.map(({ id, name }) => ({
        id: `account ${id}`,
        label: name,
        leftSection: <PlaceIcon words="accounts" {...ICON} />,
        onClick: () => void router.navigate({ to: '/accounts/$id', params: { id } }),
      })),
    ],
    [
      t('people'),
      people.map(({ email, name, account_id: account, account_name }) => ({
        id: `person ${email}`,
        label: email,
        description: [...(name === null ? [] : [name]), account_name].join(' · '),
        leftSection: <PlaceIcon words="users" {...ICON} />,
        onClick: () => void router.navigate({ to: '/users', search: { account } }),
      })),
    ],
    [
      t('grant'),
      (mayGrant ? accounts.slice(0, MAX_GRANTS) : []).map(({ id, name }) => ({
        id: `grant ${id}`,
        label: t('grantTo', { name }),
        leftSection: <PlaceIcon words="accounts" {...ICON} />,
        onClick: () => void router.navigate({ to: '/accounts/$id', params: { id }, search: { grant: true } }),
      })),
    ],
  ];
  return groups.map(([group, actions]) => ({ group, actions }));
}
