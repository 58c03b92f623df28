import { createResponseRewriter } from '@tollgate/protocols';
import { hidingRewriter, textWithoutSecrets, withoutSecrets } from './secrets.ts';

const SECRET = 'sk-upstream-secret/XYZ+1';
const credential = { secret: SECRET };
const KEY_FILE = JSON.stringify({
  client_email: 'a@b.example',
  private_key: '-----BEGIN KEY-----\nMIIE"x"\n',
  id: 7,
  more: { secret: 'a-nested-secret' },
});

test.each([
  ['as it is', `{"error":{"message":"Incorrect API key provided: Bearer ${SECRET}"}}`],
  ['more than once', `${SECRET} ${SECRET}${SECRET}`],
  ['in an address', `https://x.example?key=${encodeURIComponent(SECRET)}`],
])('a secret that an upstream says %s is not shown', (_, text) => {
  const shown = textWithoutSecrets(`é ${text} ü`, credential);
  expect(shown).not.toContain(SECRET);
  expect(shown).not.toContain(encodeURIComponent(SECRET));
  expect(shown).toMatch(/^é .*\*\*\*.* ü$/);
});

test('every text in a credential of several is one', () => {
  const several = { secret: KEY_FILE };
  for (const text of [
    '-----BEGIN KEY-----\nMIIE"x"\n',
    JSON.stringify('-----BEGIN KEY-----\nMIIE"x"\n'),
    'a-nested-secret',
  ])
    expect(textWithoutSecrets(`said ${text}`, several)).toMatch(/^said "?\*\*\*"?$/);
});

test('what the file of a cloud says beside its secrets may be said', () => {
  const file = {
    type: 'service_account',
    client_email: 'relay@p.iam.example',
    token_uri: 'https://oauth2.example/token',
    private_key: 'a-private-key',
  };
  const said = 'a service_account, relay@p.iam.example, https://oauth2.example/token and a-private-key';
  expect(textWithoutSecrets(said, { secret: JSON.stringify(file) })).toBe(
    said.replace('a-private-key', '***'),
  );
});

test('a token that was made of a credential is hidden, and so is the next one', () => {
  let derived: readonly string[] = [];
  const auth = { applyAuth: () => ({}), derivedSecrets: () => derived };
  const lent = { secret: 'ambient', auth };
  expect(textWithoutSecrets('an ambient first-token', lent)).toBe('an ambient first-token');
  derived = ['first-token'];
  expect(textWithoutSecrets('said first-token', lent)).toBe('said ***');
  derived = ['second-token', 'first-token'];
  expect(textWithoutSecrets('said first-token, second-token', lent)).toBe('said ***, ***');
});

test('bytes without a secret stay the same, and no credential hides nothing', () => {
  const bytes = Buffer.from('{"a":"é"}');
  expect(withoutSecrets(bytes, credential)).toBe(bytes);
  expect(withoutSecrets(bytes, { secret: null })).toBe(bytes);
  expect(textWithoutSecrets('a short one', { secret: 'short' })).toBe('a short one');
});

test.each(['sse', 'json-array', 'none'] as const)(
  'a secret in a stream cut as %s is not shown, wherever it is cut',
  (stream) => {
    const event = `{"error":{"message":"no ${SECRET}"}}`;
    const text = {
      sse: `data: {"a":1}\n\ndata: ${event}\n\n`,
      'json-array': `[{"a":1},${event}]`,
      none: event,
    }[stream];
    const bytes = Buffer.from(text);
    for (let cut = 1; cut < bytes.length; cut += 1) {
      // A whole answer is hidden in one piece.
      const chunks = stream === 'none' ? [bytes] : [bytes.subarray(0, cut), bytes.subarray(cut)];
      const rewriter = hidingRewriter(createResponseRewriter('gemini', { stream }), credential);
      const parts = [...chunks.map((chunk) => rewriter.push(chunk)), rewriter.end()];
      const shown = Buffer.concat(parts.filter((part) => part !== undefined)).toString();
      expect(shown).toBe(text.replace(SECRET, '***'));
    }
  },
);
