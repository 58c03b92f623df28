import type { CommonLimits, RateLimit } from '../../api/catalogue.ts';
import { LIMITED_ROUTES, type LimitedRoute } from '@tollgate/vocabulary';
import { hasLimits, type LimitForm, toLimitForm, toLimit } from './limit-form.ts';

/** Whose limits the page has: each client address, each key, and everybody on the routes of a protocol or an operation. */
export type Holder = 'client' | 'key' | LimitedRoute;

/** The limits that hold for everybody, as the page holds them. */
export type LimitsForm = Readonly<Record<Holder, LimitForm>>;

export const toLimitsForm = ({ client, key, route }: CommonLimits): LimitsForm => ({
  client: toLimitForm(client),
  key: toLimitForm(key),
  ...(Object.fromEntries(LIMITED_ROUTES.map((name) => [name, toLimitForm(route[name])])) as Record<
    LimitedRoute,
    LimitForm
  >),
});

/** The limits as the relay takes them: routes without any are left out. */
export const toLimits = (form: LimitsForm): CommonLimits => ({
  client: toLimit(form.client),
  key: toLimit(form.key),
  route: Object.fromEntries(
    LIMITED_ROUTES.map((name): [LimitedRoute, RateLimit] => [name, toLimit(form[name])]).filter(([, limit]) =>
      hasLimits(limit),
    ),
  ),
});

/** Whether two forms state the same, however their fields came to say so. */
export const isSame = (a: LimitsForm, b: LimitsForm): boolean =>
  JSON.stringify(toLimits(a)) === JSON.stringify(toLimits(b));
