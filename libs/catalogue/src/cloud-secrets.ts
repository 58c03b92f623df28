import { z } from 'zod';
import { AMBIENT, type UpstreamAuth } from './upstream-access.ts';

const text = z.string().min(1);

/** An access key of AWS; keys that are lent for a while come with a session token. */
export const awsSecretSchema = z.strictObject({
  access_key_id: text,
  secret_access_key: text,
  session_token: text.optional(),
});
export type AwsSecret = z.infer<typeof awsSecretSchema>;

const serviceAccount = z.looseObject({
  type: z.literal('service_account'),
  client_email: text,
  private_key: text,
  private_key_id: text.optional(),
  token_uri: z.url({ protocol: /^https?$/ }).default('https://oauth2.googleapis.com/token'),
});

/** Where the proof of a federation stands in the text that a file or an address gives. */
const proofFormat = z.looseObject({
  type: z.enum(['text', 'json']).default('text'),
  subject_token_field_name: text.optional(),
});

const external = z.looseObject({
  type: z.literal('external_account'),
  audience: text,
  subject_token_type: text,
  token_url: z.url({ protocol: /^https?$/ }).default('https://sts.googleapis.com/v1/token'),
  service_account_impersonation_url: z.url({ protocol: /^https?$/ }).optional(),
  credential_source: z.union([
    z.looseObject({ file: text, format: proofFormat.optional() }),
    z.looseObject({
      url: z.url({ protocol: /^https?$/ }),
      headers: z.record(z.string(), z.string()).default({}),
      format: proofFormat.optional(),
    }),
  ]),
});

const PROOF =
  'Its proof must stand in a file (`credential_source.file`) or at an address (`credential_source.url`).';

/** What Google's files may say that is not taken, and why. */
const GOOGLE_REFUSED: readonly (readonly [says: z.ZodType, fault: string])[] = [
  [
    z.looseObject({ credential_source: z.looseObject({ executable: z.unknown().nonoptional() }) }),
    `is a federation whose proof a program gives: nothing that a credential names is run here. ${PROOF}`,
  ],
  [
    z.looseObject({ credential_source: z.looseObject({ environment_id: z.unknown().nonoptional() }) }),
    `is a federation of an identity of AWS, for which a request to AWS would have to be signed as a proof: that is not supported. ${PROOF} On AWS a token of EKS in a file is one.`,
  ],
  [
    z.looseObject({ credential_source: z.looseObject({ certificate: z.unknown().nonoptional() }) }),
    `is a federation whose proof is a certificate: that is not supported. ${PROOF}`,
  ],
  [
    z.looseObject({ workforce_pool_user_project: z.unknown().nonoptional() }),
    'is a federation of people (a workforce pool): that is not supported. Use one of workloads.',
  ],
  [
    z.looseObject({
      type: z.enum(['authorized_user', 'external_account_authorized_user', 'gdch_service_account']),
    }),
    'is a credential of a person, or of Google’s distributed cloud: use a service account, or a federation of workloads.',
  ],
  [
    z.looseObject({ type: z.literal('impersonated_service_account') }),
    'acts for a service account by another credential: use a federation with a `service_account_impersonation_url`, or a key of that service account.',
  ],
];

const findGoogleRefusal = (json: unknown): string | undefined =>
  GOOGLE_REFUSED.find(([says]) => says.safeParse(json).success)?.[1];

const federation = external.refine((json) => findGoogleRefusal(json) === undefined);

/** What Google's console writes into the file of a credential. */
export const googleSecretSchema = z.discriminatedUnion('type', [serviceAccount, federation]);
export type GoogleSecret = z.infer<typeof googleSecretSchema>;

/** Why a secret cannot be one of an upstream with this kind of proof; undefined where it can. */
export function findSecretFault(auth: UpstreamAuth | undefined, secret: string): string | undefined {
  switch (auth?.kind) {
    case 'aws':
      return secret === AMBIENT || awsSecretSchema.safeParse(parseJson(secret)).success
        ? undefined
        : `must be {"access_key_id":"…","secret_access_key":"…"} as JSON, or the word ${AMBIENT}; a Bedrock API key needs auth {"kind":"static","header":"authorization","prefix":"Bearer "}`;
    case 'google':
      return secret === AMBIENT || googleSecretSchema.safeParse(parseJson(secret)).success
        ? undefined
        : (findGoogleRefusal(parseJson(secret)) ??
            `must be the JSON of a service account, of a federation (external_account, its proof in a file or at an address), or the word ${AMBIENT}`);
    case 'azure':
      if (secret === AMBIENT) {
        return auth.authority === undefined
          ? undefined
          : `is ${AMBIENT}: then the environment of the gateway says who gives tokens out, and auth.authority must be left out`;
      }
      if (auth.tenant_id === undefined || auth.client_id === undefined)
        return `is the secret of an app: auth needs its tenant_id and its client_id`;
      return blanks(secret);
    default:
      return blanks(secret);
  }
}

const blanks = (secret: string): string | undefined =>
  /^[\x21-\x7e]+$/.test(secret) ? undefined : 'is sent in a header and must hold no blanks';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
