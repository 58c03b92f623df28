import { setTimeout as sleep } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { countWords } from '../answer.ts';
import type { Billed } from '../bill/billed.ts';
import { isObject, type Json } from '../question.ts';
import type { Script } from '../script.ts';
import {
  type Item,
  NOTHING,
  SPOKEN_TOKENS_PER_WORD,
  SPOKEN_WORD,
  type Spent,
  listWords,
  plus,
  readItem,
  renderCall,
  renderMessage,
  reportedBy,
  toBilled,
  toMs,
  toTokens,
  toUsage,
} from './realtime-conversation.ts';
import { newSession } from './new-session.ts';
import { type EventRefusal, refuseEvent } from './realtime-rules.ts';

interface SessionParts {
  readonly websocket: WebSocket;
  readonly model: string;
  readonly script: Script;
  readonly notified: (event: string) => void;
  readonly billed: (asked: string, lines: readonly Billed[]) => void;
}

/** Sound of nothing, for so long, ends what a user says. */
const SILENCE_MS = 200;
const MIN_COMMIT_MS = 100;

const toObject = (value: unknown): Json => (isObject(value) ? value : {});

/** One session, as OpenAI holds it: a conversation, and at most one response of it at a time. */
export class RealtimeSession {
  readonly #parts: SessionParts;
  readonly #items: Item[] = [];
  #session: Json;
  #heardMs = 0;
  #speaks = false;
  #cached: Spent = NOTHING;
  #active: string | undefined;
  readonly #cancelled = new Set<string>();
  #ids = 0;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#session = newSession(parts.model);
    parts.websocket.on('error', () => {});
    parts.websocket.on('message', (data) => {
      const text = (data as Buffer).toString('utf8');
      parts.notified(text);
      this.#take(JSON.parse(text) as Json);
    });
    if (!parts.script.hang) this.#say('session.created', { session: this.#session });
  }

  #id(prefix: string): string {
    this.#ids += 1;
    return `${prefix}_sim${this.#ids}`;
  }

  #say(type: string, members: object): void {
    this.#parts.websocket.send(JSON.stringify({ type, event_id: this.#id('event'), ...members }));
  }

  #refuse({ message, code, param = undefined }: EventRefusal, event: Json): void {
    const error = { type: 'invalid_request_error', code, message, param: param ?? null };
    this.#say('error', { error: { ...error, event_id: event['event_id'] ?? null } });
  }

  #take(event: Json): void {
    const refusal = refuseEvent(event, this.#parts.model);
    if (refusal) return this.#refuse(refusal, event);
    switch (event['type']) {
      case 'session.update':
        return this.#update(toObject(event['session']));
      case 'input_audio_buffer.append':
        return this.#hear(String(event['audio']));
      case 'input_audio_buffer.commit':
        return this.#commitAsked(event);
      case 'input_audio_buffer.clear':
        this.#heardMs = 0;
        return this.#say('input_audio_buffer.cleared', {});
      case 'conversation.item.create':
        return this.#add(readItem(toObject(event['item']), this.#id('item')));
      case 'response.create':
        return this.#create(event);
      case 'response.cancel':
        return this.#cancel(event);
    }
  }

  #update(session: Json): void {
    const audio = toObject(this.#session['audio']);
    const change = toObject(session['audio']);
    const side = (name: string) => ({ ...toObject(audio[name]), ...toObject(change[name]) });
    this.#session = {
      ...this.#session,
      ...session,
      audio: { input: side('input'), output: side('output') },
    };
    this.#say('session.updated', { session: this.#session });
  }

  get #input(): Json {
    return toObject(toObject(this.#session['audio'])['input']);
  }

  #hear(base64: string): void {
    const ms = toMs(base64);
    const isSilent = /^[A=]*$/.test(base64);
    this.#heardMs += ms;
    const detection = this.#input['turn_detection'];
    if (!isObject(detection)) return;
    if (!isSilent && !this.#speaks) {
      this.#speaks = true;
      this.#say('input_audio_buffer.speech_started', { audio_start_ms: 0, item_id: 'item_next' });
      if (detection['interrupt_response'] !== false && this.#active !== undefined)
        this.#cancelled.add(this.#active);
    }
    if (!isSilent || !this.#speaks || ms < SILENCE_MS) return;
    this.#speaks = false;
    this.#say('input_audio_buffer.speech_stopped', { audio_end_ms: this.#heardMs, item_id: 'item_next' });
    this.#commit();
    if (detection['create_response'] !== false && this.#active === undefined) void this.#respond({});
  }

  #commitAsked(event: Json): void {
    if (this.#heardMs >= MIN_COMMIT_MS) return this.#commit();
    const has = this.#heardMs.toFixed(2);
    this.#refuse(
      {
        message: `Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, but buffer only has ${has}ms of audio.`,
        code: 'input_audio_buffer_commit_empty',
      },
      event,
    );
  }

  #commit(): void {
    const ms = this.#heardMs;
    this.#heardMs = 0;
    const id = this.#id('item');
    this.#say('input_audio_buffer.committed', {
      previous_item_id: this.#items.at(-1)?.id ?? null,
      item_id: id,
    });
    this.#add({
      id,
      json: {
        id,
        object: 'realtime.item',
        type: 'message',
        role: 'user',
        content: [{ type: 'input_audio' }],
      },
      spent: { ...NOTHING, audio: toTokens(ms) },
      said: `${ms} ms of sound`,
      isResult: false,
    });
    const transcription = this.#input['transcription'];
    if (isObject(transcription)) this.#transcribe(id, ms, String(transcription['model']));
  }

  #transcribe(item_id: string, ms: number, model: string): void {
    const transcript = `I said ${ms} ms`;
    const tokens = toTokens(ms);
    const written = countWords(transcript);
    const isByTime = model.endsWith('whisper-1');
    const usage = isByTime
      ? { type: 'duration', seconds: ms / 1_000 }
      : {
          type: 'tokens',
          total_tokens: tokens + written,
          input_tokens: tokens,
          input_token_details: { text_tokens: 0, audio_tokens: tokens },
          output_tokens: written,
        };
    const of = { item_id, content_index: 0 };
    this.#say('conversation.item.input_audio_transcription.delta', { ...of, delta: transcript });
    const { no_usage: isUnsaid } = this.#parts.script;
    const members = isUnsaid ? { ...of, transcript } : { ...of, transcript, usage };
    this.#say('conversation.item.input_audio_transcription.completed', members);
    const counted = isByTime
      ? { tokens: {}, tools: { audio_millisecond: ms } }
      : { tokens: { audio_input: tokens, output: written }, tools: {} };
    this.#parts.billed(transcript, [{ model, tier: 'standard', region: undefined, ...counted }]);
  }

  #add(item: Item): void {
    const previous_item_id = this.#items.at(-1)?.id ?? null;
    this.#items.push(item);
    this.#say('conversation.item.added', { previous_item_id, item: item.json });
    this.#say('conversation.item.done', { previous_item_id, item: item.json });
  }

  #create(event: Json): void {
    const response = toObject(event['response']);
    if (response['conversation'] === 'none' || this.#active === undefined)
      return void this.#respond(response);
    this.#refuse(
      {
        message: `Conversation already has an active response in progress: ${this.#active}. Wait until the response is finished before creating a new one.`,
        code: 'conversation_already_has_active_response',
      },
      event,
    );
  }

  #cancel(event: Json): void {
    const id = typeof event['response_id'] === 'string' ? event['response_id'] : this.#active;
    if (id !== undefined) return void this.#cancelled.add(id);
    this.#refuse(
      { message: 'Cancellation failed: no active response found', code: 'response_cancel_not_active' },
      event,
    );
  }

  /** What is read: all of the conversation, or what the response has in its place. */
  #read(response: Json): readonly Item[] {
    const own = response['input'];
    if (!Array.isArray(own)) return this.#items;
    return (own as unknown[]).filter(isObject).map((each) => readItem(each, this.#id('item')));
  }

  async #respond(response: Json): Promise<void> {
    const { script, websocket, model } = this.#parts;
    const id = this.#id('resp');
    const isAside = response['conversation'] === 'none';
    const read = this.#read(response);
    const instructions = String(response['instructions'] ?? this.#session['instructions']);
    const input = read.reduce((sum, { spent }) => plus(sum, spent), {
      ...NOTHING,
      text: countWords(instructions),
    });
    const cachedBefore = isAside ? NOTHING : this.#cached;
    if (!isAside) this.#active = id;
    const limit = Number(response['max_output_tokens'] ?? this.#session['max_output_tokens']);
    const base = { object: 'realtime.response', id, conversation_id: isAside ? null : 'conv_sim' };
    const max_output_tokens = Number.isNaN(limit) ? 'inf' : limit;
    this.#say('response.created', {
      response: { ...base, status: 'in_progress', output: [], usage: null, max_output_tokens },
    });
    this.#say('rate_limits.updated', { rate_limits: [{ name: 'tokens', limit: 1, remaining: 1 }] });
    if (script.first_delay_ms) await sleep(script.first_delay_ms);
    const last = read.findLast(({ said }) => said !== undefined);
    const said = last?.said ?? '';
    const tools = [response['tools'] ?? this.#session['tools']].flat().filter(isObject);
    const [tool] = /use tool/.test(said) && !last?.isResult ? tools : [];
    const speaks =
      JSON.stringify(response['output_modalities'] ?? this.#session['output_modalities']) === '["audio"]';
    const words = tool ? ['{"city":"Paris"}'] : listWords(said, last?.isResult === true, script);
    let output = NOTHING;
    let status = 'completed';
    let written = '';
    const item_id = this.#id('item');
    const of = { response_id: id, item_id, output_index: 0 };
    for (const [index, word] of words.entries()) {
      const spoken = speaks && !tool ? SPOKEN_TOKENS_PER_WORD : 0;
      const next = plus(output, { text: 1, audio: spoken, image: 0 });
      if (next.text + next.audio > limit) status = 'incomplete';
      if (this.#cancelled.has(id)) status = 'cancelled';
      if (status !== 'completed') break;
      if (index === script.cut_after_chunks) return websocket.terminate();
      output = next;
      const delta = index === 0 ? word : ` ${word}`;
      written += delta;
      if (tool) this.#say('response.function_call_arguments.delta', { ...of, call_id: 'call_sim', delta });
      else if (speaks) {
        this.#say('response.output_audio_transcript.delta', { ...of, content_index: 0, delta });
        this.#say('response.output_audio.delta', { ...of, content_index: 0, delta: SPOKEN_WORD });
      } else this.#say('response.output_text.delta', { ...of, content_index: 0, delta });
      if (script.chunk_delay_ms) await sleep(script.chunk_delay_ms);
    }
    const whole = { id: item_id, status: status === 'completed' ? 'completed' : 'incomplete' };
    const item = tool ? renderCall(whole, tool, words[0]) : renderMessage(whole, written, speaks);
    const usage = script.usage ? reportedBy(script.usage) : toUsage(input, cachedBefore, output);
    if (!isAside) {
      this.#items.push({ id: item_id, json: item, spent: output, said: undefined, isResult: false });
      this.#cached = plus(input, output);
      this.#active = undefined;
    }
    this.#parts.billed(said, toBilled(toUsage(input, cachedBefore, output), model));
    this.#say('response.output_item.done', { response_id: id, output_index: 0, item });
    this.#say('response.done', {
      response: { ...base, status, output: [item], usage: script.no_usage ? null : usage, max_output_tokens },
    });
  }
}
