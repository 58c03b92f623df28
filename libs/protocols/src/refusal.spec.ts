import { findRefused } from './refusal.ts';

const google = (reason: string, message = 'Permission denied.') => ({
  error: {
    code: 403,
    message,
    status: 'PERMISSION_DENIED',
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' }],
  },
});
const openai = (code: string | null, message: string, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});

test.each([
  ['a suspended key of Google', google('CONSUMER_SUSPENDED')],
  ['the same in a stream’s list', [google('CONSUMER_SUSPENDED')]],
  ['a wrong key of Google', google('API_KEY_INVALID', 'API key not valid. Please pass a valid API key.')],
  [
    'a leaked key of Google',
    { error: { code: 403, message: 'Your API key was reported as leaked. Please use another API key.' } },
  ],
  ['a wrong key of OpenAI', openai('invalid_api_key', 'Incorrect API key provided: sk-***.')],
  ['a wrong key of Anthropic', { type: 'error', error: { type: 'authentication_error', message: 'No.' } }],
  [
    'a wrong secret of Amazon',
    {
      message:
        'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key.',
    },
  ],
  ['a wrong key of Bedrock', { Message: 'Authentication failed: Please make sure your API Key is valid.' }],
])('%s is a refused credential', (_whose, body) => expect(findRefused(body)).toBe('credential'));

test.each([
  [
    'xAI',
    {
      code: 'The caller does not have permission to execute the specified operation',
      error: 'Content violates usage guidelines. Team: t, API key ID: k, Failed check: SAFETY_CHECK_TYPE_BIO',
    },
  ],
  ['xAI, in short', { code: 'permission-denied', error: 'Content violates usage guidelines. ' }],
  [
    'OpenRouter',
    {
      error: {
        code: 403,
        message:
          'x requires moderation on OpenInference. Your input was flagged for "violence". No credits used.',
        metadata: { reasons: ['violence'], flagged_input: 'How…', provider_name: 'OpenAI' },
      },
    },
  ],
  ['OpenAI’s codes', openai('content_policy_violation', 'Your request was rejected.')],
])('contents are refused in the words of %s', (_whose, body) => expect(findRefused(body)).toBe('contents'));

test('one operation is refused in the words of OpenAI', () => {
  const words =
    'You have insufficient permissions for this operation. Missing scopes: api.responses.write. Check that you have the correct role.';
  expect(findRefused(openai(null, words))).toBe('operation');
  expect(findRefused(openai('missing_scope', 'Missing scopes: model.request'))).toBe('operation');
});

test.each([
  ['a file of another', google('', 'You do not have permission to access the File x or it may not exist.')],
  ['a resource that the account may not use', google('IAM_PERMISSION_DENIED')],
  ['a method that the key may not use', google('API_KEY_SERVICE_BLOCKED')],
  [
    'a model that the project may not use',
    openai('model_not_found', 'Project `p` has no access to model `m`.'),
  ],
  ['a country', openai('unsupported_country_region_territory', 'Not supported', 'request_forbidden')],
  ['a permission of Anthropic', { type: 'error', error: { type: 'permission_error', message: 'No.' } }],
  ['a model of Bedrock', { message: "You don't have access to the model with the specified model ID." }],
  ['an account of xAI', { code: 'permission-denied', error: 'Access to the chat endpoint is denied' }],
  // What a caller wrote may be repeated.
  [
    'words within words',
    openai(null, 'No file "Authentication failed: Your API key was reported as leaked"'),
  ],
  ['no JSON', undefined],
  ['a text', 'Forbidden'],
  ['nothing', null],
  ['an empty list', []],
  ['another shape', { error: { code: 5, details: 'API_KEY_INVALID', message: 7, metadata: [] } }],
])('%s says neither', (_what, body) => expect(findRefused(body)).toBeUndefined());
