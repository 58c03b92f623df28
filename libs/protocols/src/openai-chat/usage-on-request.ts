import type { UsageOnRequest } from '../codec.ts';
import { listAt, objectAt, parseJson } from '../json.ts';
import { type Edit, membersOf, withoutMember } from '../json-spans.ts';

/** A Chat stream reports its usage only where `stream_options.include_usage` asks for it. */
export const chatUsageOnRequest: UsageOnRequest = {
  ask(body) {
    const members = membersOf(body) ?? [];
    const options = members.filter(({ key }) => key === 'stream_options');
    const [first] = members;
    if (options.length === 0) {
      return first
        ? [{ start: first.keyStart, end: first.keyStart, bytes: '"stream_options":{"include_usage":true},' }]
        : [];
    }
    return options.flatMap(({ valueStart, valueEnd }): Edit[] => {
      const inner = membersOf(body, valueStart);
      if (inner === undefined) return [{ start: valueStart, end: valueEnd, bytes: '{"include_usage":true}' }];
      const present = inner.filter(({ key }) => key === 'include_usage');
      if (present.length > 0)
        return present.map((member) => ({ start: member.valueStart, end: member.valueEnd, bytes: 'true' }));
      return [
        {
          start: valueStart + 1,
          end: valueStart + 1,
          bytes: `"include_usage":true${inner.length > 0 ? ',' : ''}`,
        },
      ];
    });
  },
  strip(json) {
    if (!json.includes('"usage"')) return json;
    const event = parseJson(json);
    const isUsageChunk = listAt(event, 'choices').length === 0 && objectAt(event, 'usage') !== undefined;
    return isUsageChunk ? undefined : withoutMember(Buffer.from(json), 'usage').toString('utf8');
  },
};
