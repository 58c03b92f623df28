import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AwsKeys, LentKey } from './aws-keys.ts';
import type { CloudState } from './faults.ts';
import { addIdentityRoute, readForm } from './identity-routes.ts';

/** Where the simulated AWS stands below the simulator's address. */
export const AWS = '/aws';

/** Assumed only by who says this: as of a role of another company. */
export const EXTERNAL_ID = 'sim-external-id';

/** Adds STS, and the two ways in which AWS lends keys to what runs in its cloud. */
export function addAwsIdentity(server: FastifyInstance, state: CloudState, keys: AwsKeys): void {
  addIdentityRoute(server, state, ['POST', `${AWS}/sts/`], (request, reply) => {
    const form = readForm(request);
    const [action, role = ''] = [form.get('Action'), form.get('RoleArn') ?? ''];
    if (form.get('Version') !== '2011-06-15')
      return refuse(reply, 400, 'InvalidAction', 'Could not find operation for version');
    if (!/^arn:aws:iam::\d{12}:role\/.+$/.test(role) || !form.get('RoleSessionName'))
      return refuse(reply, 400, 'ValidationError', 'RoleArn and RoleSessionName are required');
    if (action === 'AssumeRoleWithWebIdentity') {
      if (!form.get('WebIdentityToken')?.startsWith('sim-proof-'))
        return refuse(reply, 400, 'InvalidIdentityToken', 'The web identity token cannot be validated');
      return reply.type('text/xml').send(assumed(action, role, keys.lend(role)));
    }
    if (action !== 'AssumeRole') return refuse(reply, 400, 'InvalidAction', `Could not find ${action}`);
    const { method, url, headers, body } = request;
    const signed = keys.verify({ method, url, headers, body: String(body) }, ['sts']);
    if (!signed.ok) return refuse(reply, 403, signed.type.replace('Exception', ''), signed.message);
    if (form.get('ExternalId') !== EXTERNAL_ID)
      return refuse(reply, 403, 'AccessDenied', 'Not authorized to perform: sts:AssumeRole');
    return reply.type('text/xml').send(assumed(action, role, keys.lend(role)));
  });

  /** Of ECS and EKS Pod Identity. */
  addIdentityRoute(server, state, ['GET', `${AWS}/container-credentials`], (request, reply) => {
    if (request.headers.authorization !== 'sim-container-token')
      return reply.code(401).send({ code: 'Unauthorized', message: 'The token is wrong' });
    return { RoleArn: 'arn:aws:iam::000000000000:role/pod', ...lent(keys.lend('pod')) };
  });

  let session = '';
  addIdentityRoute(server, state, ['PUT', '/latest/api/token'], (request, reply) => {
    if (request.headers['x-aws-ec2-metadata-token-ttl-seconds'] === undefined)
      return reply.code(400).send('');
    session = randomBytes(16).toString('hex');
    return reply.type('text/plain').send(session);
  });
  const roles = '/latest/meta-data/iam/security-credentials';
  const isSession = (value: unknown) => session !== '' && value === session;
  for (const path of [roles, `${roles}/`]) {
    addIdentityRoute(server, state, ['GET', path], ({ headers }, reply) =>
      isSession(headers['x-aws-ec2-metadata-token'])
        ? reply.type('text/plain').send('instance')
        : reply.code(401).send(''),
    );
  }
  addIdentityRoute(server, state, ['GET', `${roles}/instance`], ({ headers }, reply) =>
    isSession(headers['x-aws-ec2-metadata-token'])
      ? { Code: 'Success', Type: 'AWS-HMAC', LastUpdated: iso(state.now()), ...lent(keys.lend('instance')) }
      : reply.code(401).send(''),
  );
}

const iso = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

const lent = (key: LentKey) => ({
  AccessKeyId: key.id,
  SecretAccessKey: key.secret,
  Token: key.sessionToken,
  Expiration: iso(key.expiresAt),
});

const assumed = (action: string, role: string, key: LentKey): string =>
  `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result>` +
  `<AssumedRoleUser><AssumedRoleId>AROASIM:session</AssumedRoleId><Arn>${role}</Arn></AssumedRoleUser>` +
  `<Credentials><AccessKeyId>${key.id}</AccessKeyId><SecretAccessKey>${key.secret}</SecretAccessKey>` +
  `<SessionToken>${key.sessionToken}</SessionToken><Expiration>${iso(key.expiresAt)}</Expiration></Credentials>` +
  `</${action}Result><ResponseMetadata><RequestId>sim</RequestId></ResponseMetadata></${action}Response>`;

const refuse = (reply: FastifyReply, status: number, code: string, message: string) =>
  reply
    .code(status)
    .type('text/xml')
    .send(
      `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code>` +
        `<Message>${message}</Message></Error><RequestId>sim</RequestId></ErrorResponse>`,
    );
