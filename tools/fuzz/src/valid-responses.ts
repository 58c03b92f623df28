import { at, type Event, isList, isText, must, mustBeUsage } from './client-events.ts';

/** The order that Responses clients check: sequence numbers, items one after the other, one terminal event. */
export function validResponsesStream(events: readonly (Event | '[DONE]')[]): void {
  let items = 0;
  let open: unknown;
  let terminal: string | undefined;
  let failing = false;
  for (const [index, event] of events.entries()) {
    const last = index === events.length - 1;
    if (event === '[DONE]') {
      must(
        last && terminal !== undefined && terminal !== 'response.failed',
        'The end comes too early',
        events,
      );
      return;
    }
    must(terminal === undefined, 'An event after the last one', events);
    must(event['sequence_number'] === index, 'A wrong sequence number', events);
    const type = String(event['type']);
    const created = type === 'response.created';
    if (type === 'error') {
      must(isText(event['message']) && !failing, 'An error without a message', event);
      failing = true;
    } else if (type === 'response.failed') {
      must(
        failing && last && isText(at(event, 'response', 'error', 'message')),
        'A failure without a reason',
        events,
      );
      return;
    } else {
      must(!failing && created === (index === 0), 'response.created is not the first event', events);
      if (type === 'response.completed' || type === 'response.incomplete') {
        terminal = type;
        must(open === undefined, 'An item is left open', events);
        const output = at(event, 'response', 'output');
        must(isList(output) && output.length === items, 'The output is not what was streamed', events);
        must(`response.${String(at(event, 'response', 'status'))}` === type, 'A wrong status', event);
        const usage = at(event, 'response', 'usage');
        if (usage !== null) mustBeUsage(usage);
      } else if (type === 'response.output_item.added') {
        must(open === undefined && event['output_index'] === items, 'An item out of order', events);
        open = at(event, 'item', 'id');
        must(isText(open), 'An item without an id', event);
        mustBeItem(at(event, 'item'));
      } else if (type === 'response.output_item.done') {
        must(
          open === at(event, 'item', 'id') && event['output_index'] === items,
          'An item out of order',
          events,
        );
        mustBeItem(at(event, 'item'));
        open = undefined;
        items += 1;
      } else if (!created && type !== 'response.in_progress') {
        must(open !== undefined && event['item_id'] === open, 'A piece of no open item', events);
        if (type.endsWith('.delta')) must(isText(event['delta']), 'A delta without a text', event);
      }
    }
  }
  must(false, 'The stream has no end', events);
}

export function mustBeItem(item: unknown): void {
  switch (at(item, 'type')) {
    case 'message':
      must(isList(at(item, 'content')), 'A message without content', item);
      return;
    case 'reasoning':
      must(isList(at(item, 'summary')), 'Reasoning without a summary', item);
      return;
    case 'function_call':
      must(
        [at(item, 'call_id'), at(item, 'name'), at(item, 'arguments')].every(isText),
        'A wrong call',
        item,
      );
      return;
    case 'custom_tool_call':
      must([at(item, 'call_id'), at(item, 'name'), at(item, 'input')].every(isText), 'A wrong call', item);
      return;
    default:
      must(false, 'Unknown item', item);
  }
}
