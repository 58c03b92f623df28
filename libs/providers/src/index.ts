export { type EnvironmentProvider, findEnvironmentProviders, pickProviderVariables } from './environment.ts';
export { type PickedModel, planProvider, type ProviderPlan, type ProviderRequest } from './plan-provider.ts';
export { planPriceFeed, type PriceFeed, PriceFeedError, readPriceFeed } from './price-feed.ts';
export type { CredentialWay, Provider, ProviderField, ProviderModel, Source } from './provider.ts';
export { findProvider, PROVIDERS } from './providers.ts';
export {
  findWay,
  listFields,
  type ProviderSettings,
  ProviderSettingsError,
  toUpstream,
} from './to-upstream.ts';
