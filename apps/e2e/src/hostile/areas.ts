import type { HostileArea } from './area.ts';
import { bodies } from './callers/bodies.ts';
import { keys } from './callers/keys.ts';
import { leaving } from './callers/leaving.ts';
import { ports } from './callers/ports.ts';
import { routes } from './callers/routes.ts';
import { slow } from './callers/slow.ts';
import { smuggling } from './callers/smuggling.ts';
import { targets } from './callers/targets.ts';
import { gatewayClock } from './clocks/gateway-clock.ts';
import { spool } from './disks/spool.ts';
import { amounts } from './members/amounts.ts';
import { csrf } from './members/csrf.ts';
import { texts } from './members/texts.ts';
import { addresses } from './upstreams/addresses.ts';
import { answers } from './upstreams/answers.ts';
import { usage } from './upstreams/usage.ts';

/** Those of `npm test`. */
export const FAST_AREAS: readonly HostileArea[] = [
  routes,
  smuggling,
  targets,
  bodies,
  keys,
  leaving,
  csrf,
  texts,
  amounts,
  addresses,
  answers,
  usage,
  ports,
];

/** Those that take minutes: `npm run hostile`. */
export const LONG_AREAS: readonly HostileArea[] = [slow, gatewayClock, spool];
