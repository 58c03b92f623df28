export { type EnvironmentProvider, findEnvironmentProviders, pickProviderVariables } from './environment.ts';
export { planProvider, type ProviderPlan, suggestModel } from './plan-provider.ts';
export { guessTask } from './guess-task.ts';
export { planPriceFeed } from './plan-price-feed.ts';
export { type PriceFeed, PriceFeedError, readPriceFeed } from './price-feed.ts';
export type { CredentialWay, Provider, ProviderField, ProviderModel } from './provider.ts';
export { findProvider, PROVIDERS } from './providers.ts';
export { type ProviderSettings, ProviderSettingsError, toUpstream } from './to-upstream.ts';
