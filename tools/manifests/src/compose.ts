import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { ROOT } from './manifest.ts';

const size = z.string().regex(/^\d+[smhkgb]+$/);
const dependencies = z.record(
  z.string(),
  z.strictObject({
    condition: z.enum(['service_healthy', 'service_completed_successfully', 'service_started']),
  }),
);

/** The parts of the Compose specification that our file uses; anything else is a fault. */
const serviceSchema = z.strictObject({
  image: z.string(),
  build: z.strictObject({ context: z.string(), dockerfile: z.string(), target: z.string() }).optional(),
  /** Of an image that another service builds: it is in no registry. */
  pull_policy: z.literal('never').optional(),
  profiles: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  /** Settings of one's own, which `environment` goes before. */
  env_file: z.array(z.strictObject({ path: z.string(), required: z.literal(false) })).default([]),
  depends_on: dependencies.default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  networks: z
    .union([
      z.array(z.string()),
      // One that has an address of its own there.
      z.record(z.string(), z.strictObject({ ipv4_address: z.ipv4() })),
    ])
    .default([]),
  restart: z.enum(['unless-stopped', 'no']),
  read_only: z.boolean().optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  stop_grace_period: size.optional(),
  shm_size: size.optional(),
  logging: z.strictObject({ driver: z.string(), options: z.record(z.string(), z.string()) }).optional(),
  healthcheck: z
    .union([
      z.strictObject({ disable: z.literal(true) }),
      z.strictObject({
        test: z.array(z.string()),
        interval: size,
        timeout: size,
        start_period: size.optional(),
        retries: z.number().int(),
      }),
    ])
    .optional(),
});
type ComposeService = z.infer<typeof serviceSchema>;

const composeSchema = z.object({
  name: z.string(),
  services: z.record(z.string(), serviceSchema),
  networks: z.record(
    z.string(),
    z.strictObject({
      internal: z.boolean().optional(),
      ipam: z
        .strictObject({
          config: z.array(z.strictObject({ subnet: z.cidrv4(), ip_range: z.cidrv4().optional() })),
        })
        .optional(),
    }),
  ),
  volumes: z.record(z.string(), z.strictObject({})),
});

/**
 * `docker/compose.yaml`, with its anchors and merges resolved and its variables as they stand.
 *
 * @throws where it is not what Compose allows, as far as it is known here.
 */
export function readCompose(): z.infer<typeof composeSchema> {
  return composeSchema.parse(parse(readFileSync(join(ROOT, 'docker/compose.yaml'), 'utf8'), { merge: true }));
}

/** Those of its services that are ours, with the program that each runs, such as `billing/migrate`; the command is none. */
export function ownServices(): readonly { name: string; program: string; service: ComposeService }[] {
  return Object.entries(readCompose().services).flatMap(([name, service]) => {
    const [, app] = /^tollgate\/(?!cli:)([a-z]+):/.exec(service.image) ?? [];
    const [, program = 'main'] = /\/([a-z]+)\.js$/.exec(service.command?.[0] ?? '') ?? [];
    return app === undefined ? [] : [{ name, program: `${app}/${program}`, service }];
  });
}
