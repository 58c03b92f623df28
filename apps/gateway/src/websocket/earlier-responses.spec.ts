import { createEarlierResponses, readEndedResponse } from './earlier-responses.ts';
import type { CreateMessage } from './read-message.ts';

const message = (json: object, streamId?: string): CreateMessage => ({
  streamId,
  body: Buffer.from(JSON.stringify(json)),
  json: json as CreateMessage['json'],
  generates: true,
});
const answer = (text: string) => ({ type: 'message', role: 'assistant', content: text });
const user = (text: string) => ({ role: 'user', content: text });
const read = (body: Buffer): unknown => JSON.parse(body.toString('utf8'));

test('a response that nobody stores is gone on from with all that was said, once and again', () => {
  const earlier = createEarlierResponses(1_000_000)('one');
  earlier
    .continueFrom(message({ store: false, input: 'a' }))
    .remember({ id: 'resp_1', output: [answer('b')] });
  const second = earlier.continueFrom(
    message({ store: false, input: [user('c')], previous_response_id: 'resp_1', n: 1e21 }),
  );
  expect(read(second.body)).toEqual({ store: false, n: 1e21, input: [user('a'), answer('b'), user('c')] });
  second.remember({ id: 'resp_2', output: [] });
  const third = earlier.continueFrom(message({ input: 'd', previous_response_id: 'resp_2' }));
  expect(read(third.body)).toEqual({ input: [user('a'), answer('b'), user('c'), user('d')] });
  const first = message({ input: 'e', previous_response_id: 'resp_1' });
  expect(earlier.continueFrom(first).body).toBe(first.body);
});

test('what somebody else stores goes on being named', () => {
  const earlier = createEarlierResponses(1_000_000)('one');
  const warm = { ...message({ input: 'a', previous_response_id: 'resp_stored' }), generates: false };
  earlier.continueFrom(warm).remember({ id: 'resp_1', output: [] });
  const next = earlier.continueFrom(message({ input: 'b', previous_response_id: 'resp_1' }));
  expect(read(next.body)).toEqual({
    input: [user('a'), user('b')],
    previous_response_id: 'resp_stored',
  });
});

test('reasoning without its state is not told again', () => {
  const earlier = createEarlierResponses(1_000_000)('one');
  const bare = { type: 'reasoning', id: 'rs_1', summary: [] };
  const whole = { ...bare, encrypted_content: 'x' };
  earlier
    .continueFrom(message({ store: false, input: 'a' }))
    .remember({ id: 'resp_1', output: [bare, whole, answer('b')] });
  const next = earlier.continueFrom(message({ input: 'c', previous_response_id: 'resp_1' }));
  expect(read(next.body)).toEqual({ input: [user('a'), whole, answer('b'), user('c')] });
});

test('connections know nothing of each other, and share what room there is', () => {
  const open = createEarlierResponses(80_000);
  const connections = Array.from({ length: 20 }, (_, index) => open(String(index)));
  connections.forEach((each, index) =>
    each
      .continueFrom(message({ store: false, input: 'x'.repeat(7_000) }))
      .remember({ id: `resp_${index}`, output: [] }),
  );
  const knows = (index: number, id: string) => {
    const asked = message({ input: 'y', previous_response_id: id });
    return connections[index]?.continueFrom(asked).body !== asked.body;
  };
  expect([knows(19, 'resp_19'), knows(18, 'resp_19'), knows(0, 'resp_0')]).toEqual([true, false, false]);
  const huge = connections[19]?.continueFrom(message({ store: false, input: 'x'.repeat(50_000) }));
  huge?.remember({ id: 'resp_huge', output: [] });
  expect(knows(19, 'resp_huge')).toBe(false);
  connections[18]?.forget();
  expect(knows(18, 'resp_18')).toBe(false);
});

test.each([
  ['response.completed', true],
  ['response.incomplete', true],
  ['response.failed', false],
  ['response.created', false],
])('%s ends a response that is remembered: %s', (type, ends) => {
  const response = { id: 'resp_1', output: [] };
  const data = JSON.stringify({ type, response });
  expect([readEndedResponse(type, data), readEndedResponse(undefined, data)]).toEqual(
    ends ? [response, response] : [undefined, undefined],
  );
});
