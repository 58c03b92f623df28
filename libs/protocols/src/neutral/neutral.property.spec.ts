import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { anyAnswer, ANSWER_TOOLS } from '../convert/golden/arbitrary-answer.ts';
import { anyRequest } from '../convert/golden/arbitrary-request.ts';
import { createPlan } from '../convert/golden/answer-cases.ts';
import { createNotes } from './notes.ts';
import { createEventReader } from '../convert/read-events.ts';
import { CODECS } from '../registry.ts';
import { createToolNames } from '../convert/tool-names.ts';
import { STATES } from '../convert/golden/cases.ts';
import { findDialect } from '../dialects/find-dialect.ts';
import { parseJson } from '../json.ts';
import type { AnswerEvent, NeutralAnswer } from './answer.ts';
import { assemble, replay } from './assemble.ts';

/** Without the places in the client's body, which a round trip changes. */
const withoutPlaces = (value: unknown): unknown =>
  parseJson(JSON.stringify(value, (key, inner: unknown) => (key === 'at' ? undefined : inner)));

/** Items of reasoning in a Responses stream get ids of this relay. */
const withoutItemIds = (value: unknown): unknown =>
  parseJson(
    JSON.stringify(value, (key, inner: unknown) =>
      key === 'id' && String(inner).startsWith('rs_') ? undefined : inner,
    ),
  );

describe.each(CLIENT_PROTOCOLS)('%s', (protocol) => {
  const conversion = CODECS[protocol].conversion;
  const plan = createPlan(protocol, protocol, ANSWER_TOOLS);

  test('carries a request there and back', () => {
    fc.assert(
      fc.property(anyRequest(protocol), (request) => {
        const notes = createNotes(conversion.support, 'model', false);
        const encoded = conversion.encodeRequest(request, {
          model: 'gemini-2.5-pro',
          dialect: findDialect(protocol, 'model', {
            custom_tools: true,
            allowed_tools: true,
            refusals: true,
          }),
          names: createToolNames(request.tools, conversion.toolNames),
          notes,
          defaultMaxTokens: 4_096,
        });
        const body = parseJson(JSON.stringify(encoded)) as typeof encoded;
        const decoded = conversion.decodeRequest(body, { states: STATES, notes, stream: request.stream });
        expect(withoutPlaces(decoded)).toEqual(withoutPlaces(request));
        expect([...notes.dropped, ...notes.emulated]).toEqual([]);
      }),
    );
  });

  test('carries an answer there and back', () => {
    fc.assert(
      fc.property(anyAnswer(protocol), (answer) => {
        const body = conversion.encodeAnswer(answer, plan.answer);
        expect(conversion.decodeAnswer(parseJson(JSON.stringify(body)), plan)).toEqual(answer);
      }),
    );
  });

  test('carries a stream there and back, however its deltas are cut', () => {
    fc.assert(
      fc.property(anyAnswer(protocol, true), fc.integer({ min: 1, max: 9 }), (answer, size) => {
        const encoder = conversion.streamEncoder(plan.answer);
        const events = [...replay(answer)].flatMap((event) => inPieces(event, size));
        const bytes = events.map((event) => encoder.write(event)).join('') + encoder.end();
        const reader = createEventReader(plan, 'sse');
        const read = assemble([...reader.push(Buffer.from(bytes)), ...reader.end()]);
        expect(withoutItemIds(read)).toEqual(withoutItemIds(answer));
      }),
    );
  });
});

function inPieces(event: AnswerEvent, size: number): AnswerEvent[] {
  if (event.type !== 'delta') return [event];
  const characters = [...event.text];
  const pieces = [];
  for (let at = 0; at < characters.length; at += size)
    pieces.push({ ...event, text: characters.slice(at, at + size).join('') });
  return pieces;
}

test.each(CLIENT_PROTOCOLS)('the replay of a %s answer assembles to it', (protocol) => {
  fc.assert(
    fc.property(anyAnswer(protocol), (answer: NeutralAnswer) => {
      expect(assemble(replay(answer))).toEqual(answer);
    }),
  );
});
