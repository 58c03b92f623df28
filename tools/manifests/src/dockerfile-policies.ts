import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { GATEWAY_ENV, PROGRAM_ENV } from '@tollgate/harness';
import { validate } from 'dockerfile-utils';
import { listInstructions, toImageConfig, type Dockerfile, execForm, parsePairs } from './dockerfile.ts';
import { ROOT } from './manifest.ts';

/** The stages that are services. */
export const TARGETS = ['gateway', 'billing', 'pricing', 'simulator'] as const;

interface DockerfilePolicy {
  readonly name: string;
  readonly faults: (dockerfile: Dockerfile, text: string) => readonly string[];
}

/** Says where the list of what is in the image is. */
const SBOM = 'example.tollgate.sbom';

const eachTarget =
  (faults: (target: string, dockerfile: Dockerfile) => readonly string[]): DockerfilePolicy['faults'] =>
  (dockerfile) =>
    TARGETS.flatMap((target) => faults(target, dockerfile).map((fault) => `${target}: ${fault}`));

/** The program of ours that a command runs has a source of that name. */
const isProgram = (path: string) =>
  existsSync(join(ROOT, path.replace('/bundle/', '/src/').replace(/\.js$/, '.ts')));

/** What an image sets otherwise than the launcher. */
const differences = (
  target: string,
  image: Readonly<Record<string, string>>,
  launcher: Readonly<Record<string, string>>,
) =>
  Object.entries(launcher)
    .filter(([name, value]) => image[name] !== value)
    .map(([name, value]) => `${target}: ${name} is ${image[name]}, and ${value} in npm start`);

const packageJson = () =>
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    workspaces: string[];
    devDependencies: Record<string, string>;
  };

/** What `docker/Dockerfile` must be. */
export const DOCKERFILE_POLICIES: readonly DockerfilePolicy[] = [
  {
    name: 'the linter finds nothing',
    faults: (_dockerfile, text) => validate(text).map(({ message }) => String(message)),
  },
  {
    name: 'images that it starts from are pinned',
    faults: ({ stages }) =>
      stages
        .filter(({ base }) => !stages.some(({ name }) => name === base))
        .filter(({ base }) => !/:\d+\.\d+\.\d+-[a-z-]+(?:@sha256:[0-9a-f]{64})?$/.test(base))
        .map(({ base }) => `${base} may move`),
  },
  {
    name: 'Node is the one that the tests run with',
    faults: ({ args }) => {
      const tested = packageJson().devDependencies['node'];
      return args['NODE_VERSION'] === tested ? [] : [`${args['NODE_VERSION']} is not ${tested}`];
    },
  },
  {
    name: 'nothing is added from elsewhere, and copies are from stages that are there',
    faults: ({ stages }) =>
      stages.flatMap(({ name, instructions }) =>
        instructions.flatMap(({ keyword, flags }) => [
          ...(keyword === 'ADD' ? [`${name} has an ADD`] : []),
          ...(keyword === 'COPY' && flags['from'] && !stages.some((one) => one.name === flags['from'])
            ? [`${name} copies from ${flags['from']}`]
            : []),
        ]),
      ),
  },
  {
    name: 'services run as a numeric user and group that are not root',
    faults: eachTarget((target, dockerfile) => {
      const { user } = toImageConfig(dockerfile, target);
      return /^[1-9]\d{3,}:[1-9]\d{3,}$/.test(user) ? [] : [`the user is "${user}"`];
    }),
  },
  {
    name: 'what is run is in exec form, and is Node with a program of that service',
    faults: eachTarget((target, dockerfile) => {
      const shell = listInstructions(dockerfile, target)
        .filter(({ keyword }) => ['CMD', 'ENTRYPOINT', 'HEALTHCHECK'].includes(keyword))
        .filter(({ text }) => execForm(text.replace(/^CMD /, '')) === undefined)
        .map(({ keyword }) => `${keyword} needs a shell`);
      const { entrypoint, command } = toImageConfig(dockerfile, target);
      const [program = ''] = command;
      const fits =
        entrypoint[0] === 'node' && program.startsWith(`apps/${target}/bundle/`) && isProgram(program);
      return fits ? shell : [...shell, `it runs ${[...entrypoint, ...command].join(' ')}`];
    }),
  },
  {
    name: 'services have a health check, end on SIGTERM, and say where they come from',
    faults: eachTarget((target, dockerfile) => {
      const chain = listInstructions(dockerfile, target);
      const { labels } = toImageConfig(dockerfile, target);
      const ofImages = ['title', 'source', 'revision', 'version'];
      const required = [...ofImages.map((name) => `org.opencontainers.image.${name}`), SBOM];
      return [
        ...required.filter((name) => !labels[name]).map((name) => `no label ${name}`),
        ...(chain.some(({ keyword, text }) => keyword === 'HEALTHCHECK' && text.includes('/readyz'))
          ? []
          : ['no health check']),
        ...(chain.findLast(({ keyword }) => keyword === 'STOPSIGNAL')?.text === 'SIGTERM'
          ? []
          : ['no SIGTERM']),
      ];
    }),
  },
  {
    name: 'ports that are exposed are those that it listens on',
    faults: eachTarget((target, dockerfile) => {
      const { env, ports } = toImageConfig(dockerfile, target);
      const listens = [env['PORT'], env['TCP_PORT']].filter((port) => port !== undefined).map(Number);
      return JSON.stringify(listens) === JSON.stringify(ports)
        ? []
        : [`${listens.join()} but exposes ${ports.join()}`];
    }),
  },
  {
    name: 'no secret is an argument or a variable of an image',
    faults: ({ stages }) =>
      stages.flatMap(({ instructions }) =>
        instructions
          .filter(({ keyword }) => keyword === 'ARG' || keyword === 'ENV')
          .flatMap(({ text }) => Object.keys(parsePairs(text)))
          .filter((name) => /SECRET|PASSWORD|TOKEN|SEAL_KEY|DATABASE_URL|REDIS_URL/.test(name)),
      ),
  },
  {
    name: 'packages run no scripts when they are installed, and services get none of those for development',
    faults: (dockerfile) => {
      const installs = dockerfile.stages.flatMap(({ name, instructions }) =>
        instructions
          .filter(({ keyword, text }) => keyword === 'RUN' && /\bnpm\b/.test(text))
          .map(({ text }) => ({ name, text })),
      );
      const modules = TARGETS.flatMap((target) => listInstructions(dockerfile, target)).filter(
        ({ keyword, text }) => keyword === 'COPY' && text.includes('node_modules'),
      );
      return [
        ...installs.filter(({ text }) => !/npm ci\b.*--ignore-scripts/.test(text)).map(({ text }) => text),
        ...modules
          .filter(
            ({ flags }) =>
              !installs.some((one) => one.name === flags['from'] && one.text.includes('--omit=dev')),
          )
          .map(({ text }) => `${text} is with what is for development`),
      ];
    },
  },
  {
    name: 'an image gets the packages of its own workspace, and the list of them',
    faults: (dockerfile) =>
      [...TARGETS, 'cli'].flatMap((target) => {
        const stage = `${target}-dependencies`;
        const runs = listInstructions(dockerfile, stage).filter(({ keyword }) => keyword === 'RUN');
        const copied = listInstructions(dockerfile, target)
          .filter(({ keyword, flags }) => keyword === 'COPY' && flags['from'] === stage)
          .map(({ text }) => text.split(' ')[0]);
        return [
          ...(runs.some(({ text }) => text.includes(`--workspace=@tollgate/${target} `))
            ? []
            : [`${stage} installs for another workspace`]),
          ...['trim-packages', 'write-sbom']
            .map((script) => `node docker/${script}.mjs @tollgate/${target}`)
            .filter((command) => !runs.some(({ text }) => text.split(' && ').includes(command)))
            .map((command) => `${stage} does not run ${command}`),
          ...['/app/node_modules', '/app/sbom.spdx.json']
            .filter((path) => !copied.includes(path))
            .map((path) => `${target} lacks ${path} of ${stage}`),
        ];
      }),
  },
  {
    name: 'npm is given the package.json of every workspace',
    faults: (dockerfile) => {
      const required = packageJson().workspaces.flatMap((pattern) =>
        globSync(`${pattern}/package.json`, { cwd: ROOT }),
      );
      return dockerfile.stages
        .filter(({ instructions }) => instructions.some(({ text }) => text.includes('npm ci')))
        .flatMap(({ name }) => {
          const patterns = listInstructions(dockerfile, name)
            .filter(({ keyword, flags }) => keyword === 'COPY' && 'parents' in flags)
            .flatMap(({ text }) => text.split(' ').slice(0, -1));
          return required
            .filter((path) => !patterns.some((pattern) => matchesGlob(path, pattern)))
            .map((path) => `${name} lacks that of ${dirname(path)}`);
        });
    },
  },
  {
    name: 'a service gets its bundle, and the gateway the console',
    faults: eachTarget((target, dockerfile) => {
      const copied = listInstructions(dockerfile, target)
        .filter(({ keyword }) => keyword === 'COPY')
        .map(({ text }) => text.split(' ').at(-1));
      const own = [`./apps/${target}/bundle`, `./apps/${target}/package.json`];
      const required = [...own, ...(target === 'gateway' ? ['./apps/console/dist'] : [])];
      return required.filter((path) => !copied.includes(path)).map((path) => `it lacks ${path}`);
    }),
  },
  {
    name: 'the gateway has as many arenas of malloc as npm start gives it, and services as many threads',
    faults: (dockerfile) => [
      ...differences('gateway', toImageConfig(dockerfile, 'gateway').env, GATEWAY_ENV),
      ...TARGETS.flatMap((target) => differences(target, toImageConfig(dockerfile, target).env, PROGRAM_ENV)),
    ],
  },
];
