import { FIELD_RULES, type OtherOperation, PROTOCOLS, type Task, TASK_FORMATS } from '@tollgate/vocabulary';
import { z } from 'zod';

export const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be the name of a header');
const url = z.url({ protocol: /^https?$/ }).max(500);

/** A secret that is no secret: the identity of the pod proves who asks, which its cloud gives it. */
export const AMBIENT = 'ambient';

/** The names under which AWS knows what it signs for. */
const AWS_SERVICES = ['bedrock', 'bedrock-mantle', 'aws-external-anthropic'] as const;

/**
 * How an upstream is shown its credentials. Absent, each is sent in the header in which the format's own clients send theirs.
 * What a secret is then: of `aws` the JSON of an access key, of `google` the JSON of a service account or of a federation,
 * of `azure` the secret of an app; of these three also the word `ambient`.
 */
export const upstreamAuthSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('static'),
    header: headerName,
    /** Such as "Bearer ", with its blank. */
    prefix: z
      .string()
      .max(40)
      .regex(/^[\x20-\x7e]*$/, FIELD_RULES.not_printable_ascii)
      .optional(),
  }),
  z.strictObject({
    kind: z.literal('aws'),
    region: z.string().regex(/^[a-z]{2,8}(-[a-z0-9]{1,20}){1,4}$/, 'a region such as "eu-central-1"'),
    /** What is signed for; `bedrock` where it is left out. */
    service: z.enum(AWS_SERVICES).optional(),
    /** A role that is assumed first, such as one of another account. */
    role_arn: z
      .string()
      .regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/, 'the ARN of a role')
      .optional(),
    external_id: z
      .string()
      .regex(/^[\w+=,.@:/-]{2,1224}$/, 'letters, digits and +=,.@:/_- only')
      .optional(),
  }),
  z.strictObject({
    kind: z.literal('google'),
    /** What the token is asked for; that of the whole cloud platform where it is left out. */
    scope: url.optional(),
    /** The project whose quota is used. */
    quota_project: z
      .string()
      .regex(/^[a-z0-9][a-z0-9:.-]{0,99}$/, 'the id of a project')
      .optional(),
  }),
  z.strictObject({
    kind: z.literal('azure'),
    /** Left out, it goes by the host of the base address. */
    scope: url.optional(),
    tenant_id: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/, 'a tenant id or its domain')
      .optional(),
    client_id: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,64}$/, 'the id of an app or of an identity')
      .optional(),
    /** Who gives tokens out; left out, Microsoft's public cloud. */
    authority: url.optional(),
  }),
]);
export type UpstreamAuth = z.infer<typeof upstreamAuthSchema>;

const pathTemplate = z
  .string()
  .max(500)
  .regex(
    /^\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@%/]|\{model\})*(?:\?[A-Za-z0-9\-._~!$&'()*+,;=:@%/]*)?$/,
    'must be a path such as "/openai/deployments/{model}/chat/completions?api-version=2024-10-21"; {model} stands in no query',
  )
  .refine((path) => !/\/(?:\/|\.{1,2}(?:[/?]|$))/.test(path), 'must hold no empty part, no "." and no ".."');

/** Where sessions are opened. */
const sessionPaths = { realtime: pathTemplate.optional() } satisfies Record<
  Exclude<OtherOperation, Task>,
  unknown
>;

/** Paths of one format below the base address. What is left out is the format's own path. */
const formatPathsSchema = z.strictObject({
  ...sessionPaths,
  generate: pathTemplate.optional(),
  /** Left out, it is that of `generate`, but in formats whose own paths differ. */
  stream: pathTemplate.optional(),
  count: pathTemplate.optional(),
  models: pathTemplate.optional(),
  embed: pathTemplate.optional(),
  rerank: pathTemplate.optional(),
  moderate: pathTemplate.optional(),
  complete: pathTemplate.optional(),
  draw: pathTemplate.optional(),
  edit: pathTemplate.optional(),
  transcribe: pathTemplate.optional(),
  translate: pathTemplate.optional(),
  speak: pathTemplate.optional(),
} satisfies Record<'generate' | 'stream' | 'count' | 'models' | Task, unknown>);

/** Where it lists its models, if not below its base address: a cloud does so at another host. Asked with its credentials. */
export const modelListsSchema = z
  .array(
    url.refine(
      (text) => !/^[^/]*\/\/[^/?#]*@|#/.test(text),
      'must hold no user, no password and no fragment',
    ),
  )
  .min(1)
  .max(4);

/** Every address that an upstream's credentials are sent to, but those that only give out tokens. */
export const listAddresses = ({
  base_url,
  model_lists = [],
}: {
  readonly base_url: string;
  readonly model_lists?: readonly string[] | undefined;
}): readonly string[] => [base_url, ...model_lists];

/** By format. Below a format that is named here, no version is taken for one that the base address ends in already. */
export const upstreamPathsSchema = z.partialRecord(z.enum(PROTOCOLS), formatPathsSchema);

/** The format in which an upstream takes a task, where it is not the one that goes with its formats of conversations. */
export const upstreamTaskFormatsSchema = z.strictObject({
  embed: z.enum(TASK_FORMATS.embed).optional(),
  rerank: z.enum(TASK_FORMATS.rerank).optional(),
  moderate: z.enum(TASK_FORMATS.moderate).optional(),
  complete: z.enum(TASK_FORMATS.complete).optional(),
  draw: z.enum(TASK_FORMATS.draw).optional(),
  edit: z.enum(TASK_FORMATS.edit).optional(),
  transcribe: z.enum(TASK_FORMATS.transcribe).optional(),
  translate: z.enum(TASK_FORMATS.translate).optional(),
  speak: z.enum(TASK_FORMATS.speak).optional(),
} satisfies Record<Task, unknown>);

/** How a cloud carries the format of another vendor. */
export const upstreamWrappingSchema = z.strictObject({
  'anthropic-messages': z.enum(['bedrock', 'vertex', 'foundry', 'mantle']).optional(),
});

const SECRET_WORDS = /authorization|cookie|token|secret|passw|credential|signature|key(?:$|[^a-z])/i;

/** Whether a header of this name may hold a secret: the catalogue is shown, only credentials are sealed. */
export const mayHoldSecret = (header: string): boolean => SECRET_WORDS.test(header);
