import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCKERFILE_POLICIES } from './dockerfile-policies.ts';
import { parseDockerfile } from './dockerfile.ts';
import { ROOT } from './manifest.ts';

const TEXT = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8');

const faultsOf = (rule: string, text: string): readonly string[] => {
  const policy = DOCKERFILE_POLICIES.find(({ name }) => name.startsWith(rule));
  if (!policy) throw new Error(`no rule begins with "${rule}"`);
  return policy.faults(parseDockerfile(text), text);
};

test.each(DOCKERFILE_POLICIES.map(({ name }) => name))('%s', (name) => {
  expect(faultsOf(name, TEXT)).toEqual([]);
});

/** The rule's first words, what is replaced by what, and what is said of it. */
const MUTATIONS: readonly (readonly [rule: string, before: string, after: string, said: RegExp])[] = [
  ['the linter', 'EXPOSE 3000', 'EXPOSE many', /many/],
  ['images that it starts', '${NODE_VERSION}-trixie-slim', 'latest', /node:latest may move/],
  ['images that it starts', '${NODE_VERSION}-trixie-slim', '26', /may move/],
  ['Node is the one', 'NODE_VERSION=26', 'NODE_VERSION=24', /is not/],
  ['nothing is added', 'COPY . .', 'ADD . .', /build has an ADD/],
  ['nothing is added', '--from=gateway-dependencies', '--from=docker.io/library/x', /copies from/],
  ['services run as', 'USER 10001:10001', 'USER node', /billing: the user is "node"/],
  ['services run as', 'USER 10001:10001', '', /the user is ""/],
  [
    'what is run',
    'ENTRYPOINT ["node", "--enable-source-maps"]',
    'ENTRYPOINT node',
    /ENTRYPOINT needs a shell/,
  ],
  [
    'what is run',
    'CMD ["apps/pricing/bundle/main.js"]',
    'CMD ["apps/pricing/bundle/app.js"]',
    /pricing: it runs/,
  ],
  ['services have a health', '/readyz', '/', /no health check/],
  ['services have a health', 'org.opencontainers.image.revision', 'revision', /no label/],
  ['services have a health', 'example.tollgate.sbom', 'sbom', /no label example.tollgate.sbom/],
  ['ports that are exposed', 'EXPOSE 4101 4102', 'EXPOSE 4101', /billing: 4101,4102 but exposes 4101/],
  ['no secret', 'ARG REVISION=unknown', 'ARG NPM_TOKEN=', /NPM_TOKEN/],
  ['packages run no scripts', '--omit=dev --ignore-scripts', '--omit=dev', /npm ci/],
  [
    'packages run no scripts',
    '--from=pricing-dependencies /app/node_modules',
    '--from=build /app/node_modules',
    /for development/,
  ],
  ['an image gets', '--workspace=@tollgate/gateway', '', /gateway-dependencies installs for another/],
  [
    'an image gets',
    'write-sbom.mjs @tollgate/cli',
    'write-sbom.mjs',
    /cli-dependencies does not run .*write-sbom/,
  ],
  [
    'an image gets',
    'node docker/trim-packages.mjs @tollgate/billing && ',
    '',
    /does not run .*trim-packages/,
  ],
  [
    'an image gets',
    'COPY --from=billing-dependencies /app/sbom.spdx.json ./sbom.spdx.json',
    '',
    /billing lacks \/app\/sbom.spdx.json/,
  ],
  ['npm is given', ' tools/*/package.json', '', /lacks that of tools\/run/],
  [
    'a service gets',
    'COPY --from=build /app/apps/billing/bundle ./apps/billing/bundle',
    '',
    /billing: it lacks .\/apps\/billing\/bundle/,
  ],
  ['a service gets', 'COPY --from=build /app/apps/console/dist ./apps/console/dist', '', /gateway: it lacks/],
  [
    'the gateway has as many arenas',
    ' MALLOC_ARENA_MAX=2',
    '',
    /gateway: MALLOC_ARENA_MAX is undefined, and 2/,
  ],
  [
    'the gateway has as many arenas',
    'UV_THREADPOOL_SIZE=16',
    'UV_THREADPOOL_SIZE=4',
    /pricing: UV_THREADPOOL_SIZE/,
  ],
];

test.each(MUTATIONS)('"%s" is broken by %s', (rule, before, after, said) => {
  expect(TEXT).toContain(before);
  expect(
    faultsOf(
      rule,
      TEXT.replaceAll(before, () => after),
    ).join('\n'),
  ).toMatch(said);
});

test('every rule can be broken', () => {
  expect(
    DOCKERFILE_POLICIES.filter(({ name }) => !MUTATIONS.some(([rule]) => name.startsWith(rule))),
  ).toEqual([]);
});
