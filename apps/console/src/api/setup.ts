import { queryOptions } from '@tanstack/react-query';
import type {
  BillingOidcControllerStartData,
  BillingSetupControllerSetUpData,
} from './generated/types.gen.ts';
import { billingOidcControllerAsk, billingOidcControllerStart } from './generated/sdk/billing-oidc.gen.ts';
import { billingSetupControllerAsk, billingSetupControllerSetUp } from './generated/sdk/billing-setup.gen.ts';
import { bodyOf } from './result.ts';
import { type Entered, keepSignedIn } from './session.ts';

/** Whether nobody owns this house yet. */
export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => bodyOf<{ readonly needed: boolean }>(billingSetupControllerAsk({ signal })),
  staleTime: Infinity,
});

/** The provider that people may sign in with, where there is one. */
export const providerQuery = queryOptions({
  queryKey: ['provider'],
  queryFn: ({ signal }) =>
    bodyOf<{ readonly enabled: boolean; readonly name: string | null }>(billingOidcControllerAsk({ signal })),
  staleTime: Infinity,
});

type Departure = BillingOidcControllerStartData['body'];

const askTheWay = (body: Departure): Promise<{ readonly url: string }> =>
  bodyOf(billingOidcControllerStart({ body }));

/** Leaves the console for the provider, which sends the browser back to it. */
export async function departToProvider(body: Departure): Promise<void> {
  const { url } = await askTheWay(body);
  window.location.assign(url);
}

export const setUp = (body: BillingSetupControllerSetUpData['body']): Promise<Entered> =>
  keepSignedIn(bodyOf<Entered>(billingSetupControllerSetUp({ body })));
