import { CLIENT_PROTOCOLS, type ClientProtocol } from '@tollgate/vocabulary';
import type { CloudDoorName } from '../pools.ts';
import { CACHED, type Feature, FEATURES, HOURS, tier, tokens, UNSERVED, unserved } from './features.ts';

/** Something that is billed behind the door of a cloud, and the format in which it is asked for. */
interface CloudFeature extends Feature {
  readonly format: ClientProtocol;
}

const asked = (format: ClientProtocol, features: readonly Feature[]): CloudFeature[] =>
  features.map((feature) => ({ format, ...feature }));

const of = (format: ClientProtocol, ...names: readonly string[]): CloudFeature[] =>
  asked(
    format,
    FEATURES[format].filter(({ what }) => ['tokens alone', ...names].includes(what)),
  );

const OPENAI_WORD = { service_tier: 'priority' };
const CONVERSE_TIERS: readonly Feature[] = [tier('priority'), tier('flex'), unserved(OPENAI_WORD)];

/** The same behind the doors of clouds, as far as they sell it. */
export const CLOUD_FEATURES: Readonly<Record<CloudDoorName, readonly CloudFeature[]>> = {
  'azure-v1': of('openai-responses', 'the tier priority', UNSERVED, 'a search', 'code in two containers'),
  'azure-classic': of('openai-chat', 'the tier priority', UNSERVED),
  foundry: of('anthropic-messages', 'the tier priority', 'searches', HOURS.what),
  'vertex-gemini': of(
    'gemini',
    'the tier priority',
    'the tier flex',
    UNSERVED,
    'queries',
    'queries in a tier',
  ),
  'vertex-anthropic': of('anthropic-messages', 'searches', HOURS.what),
  'bedrock-invoke': [
    ...of('anthropic-messages', HOURS.what, 'the tier priority', UNSERVED),
    ...asked('anthropic-messages', [tier('flex'), tier('reserved', undefined, { tier: 'reserved' })]),
  ],
  converse: [
    ...CLIENT_PROTOCOLS.flatMap((format) => asked(format, [tokens(...CACHED, 'output'), HOURS])),
    ...asked('openai-chat', CONVERSE_TIERS),
    ...asked('openai-responses', CONVERSE_TIERS),
  ],
};
