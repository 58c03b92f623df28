import { buildTable, upstream } from '../../testing/forwarding.ts';
import { createContextBound } from './context-bound.ts';
import { Transcriptions } from './transcriptions.ts';
import { Turns } from './turns.ts';
import { UpstreamEvents } from './upstream-events.ts';

const SECRET = 'sk-upstream-secret-XYZ-0123';
const { table, close } = buildTable({
  upstreams: [upstream('one', 'http://127.0.0.1:9', [SECRET])],
  pool: { members: [{ upstream: 'one' }] },
  model: { operations: ['realtime'] },
});
afterAll(close);

function openEvents(): UpstreamEvents {
  const candidate = table.groups.get('g')?.models.get('m')?.realtime[0];
  if (!candidate) throw new Error('there is no candidate');
  const never = () => Promise.reject(new Error('nothing is asked for'));
  const context = createContextBound();
  return new UpstreamEvents({
    turns: new Turns({ take: never, context, send: () => {} }),
    transcriptions: new Transcriptions(never),
    context,
    candidate,
    model: 'voice',
    logger: { warn: () => {} },
    tellUpstream: async () => {},
    tellClient: async () => {},
    ready: () => {},
    failed: () => {},
    hasClient: () => true,
    mayBegin: () => false,
  });
}

test.each([
  { type: 'session.created', session: { instructions: SECRET } },
  { type: 'session.updated', session: { instructions: SECRET } },
  { type: 'error', error: { message: SECRET } },
  { type: 'response.output_text.delta', response_id: 'r', delta: SECRET },
  { type: 'input_audio_buffer.committed', item_id: SECRET },
  { type: 'unheard of', said: SECRET },
])('an event of the kind $type does not tell the credential of its upstream', async (event) => {
  const shown = await openEvents().show(JSON.stringify(event));
  expect(shown).toContain('***');
  expect(shown).not.toContain(SECRET);
});
