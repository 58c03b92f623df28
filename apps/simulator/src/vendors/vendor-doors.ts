import type { FastifyInstance } from 'fastify';
import type { Serve } from '../clouds/door.ts';
import { openaiChat } from '../formats/openai-chat.ts';
import { Refused } from '../rules/rule.ts';
import { CHAT_VENDORS, refuseByVendor } from './vendors.ts';

/** Adds the doors of vendors who speak OpenAI's format in their own way: `/vendors/<name>` stands for a vendor's host. */
export function addVendorDoors(server: FastifyInstance, serve: Serve): void {
  for (const vendor of CHAT_VENDORS) {
    server.post(`/vendors/${vendor.name}${vendor.path}`, (request, reply) => {
      const account = openaiChat.credential(request.headers);
      if (!account) return reply.code(401).send(openaiChat.error(401, 'No credential was sent.'));
      return serve(request, reply, {
        format: openaiChat,
        model: undefined,
        mode: 'generate',
        array: false,
        door: {
          account,
          unwrap(body) {
            const refusal = refuseByVendor(vendor, body);
            if (refusal) throw new Refused(refusal);
            return body;
          },
        },
      });
    });
  }
}
