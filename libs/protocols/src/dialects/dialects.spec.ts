import { isObject } from '../json.ts';
import { convertCase, toOutcome } from '../convert/golden/cases.ts';
import { BODIES, type DialectCase } from '../../testing/dialects/dialect-case.ts';
import { FIELDS } from '../../testing/dialects/field-cases.ts';
import { TOOLS } from '../../testing/dialects/tool-cases.ts';
import { EFFORTS } from '../../testing/dialects/effort-cases.ts';
import { MEDIA } from '../../testing/dialects/media-cases.ts';
import { USERS } from '../../testing/dialects/user-cases.ts';
import { SAMPLING } from '../../testing/dialects/sampling-cases.ts';
import { REASONING } from '../../testing/dialects/reasoning-cases.ts';
import { LIMITS, SCHEMAS, FORMATS } from '../../testing/dialects/format-cases.ts';
import { TURNS } from '../../testing/dialects/turn-cases.ts';

const CASES: Readonly<Record<string, readonly DialectCase[]>> = {
  'ids of users': USERS,
  sampling: SAMPLING,
  'how much is reasoned': REASONING,
  efforts: EFFORTS,
  'limits of output': LIMITS,
  schemas: SCHEMAS,
  'JSON answers': FORMATS,
  fields: FIELDS,
  tools: TOOLS,
  'images and documents': MEDIA,
  conversations: TURNS,
};

/** Of what was sent the members that a case names, all the way down. */
const named = (sent: unknown, expected: unknown): unknown =>
  isObject(sent) && isObject(expected)
    ? Object.fromEntries(Object.keys(expected).map((key) => [key, named(sent[key], expected[key])]))
    : sent;

describe.each(Object.entries(CASES))('%s', (_what, cases) => {
  test.each(cases)('$from to $to, $model: $asks', ({ from, to, model, asks, sends, dropped, emulated }) => {
    const client = { body: { ...BODIES[from], ...asks }, upstreamModel: model, to: {} };
    const outcome = toOutcome(convertCase(from, to, client));
    expect(outcome).toMatchObject({ dropped: dropped ?? [], emulated: emulated ?? [] });
    expect(named('request' in outcome ? outcome.request : undefined, sends)).toEqual(sends);
  });
});
