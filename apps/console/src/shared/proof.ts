import { client } from '../api/generated/client.gen.ts';

/** What the service says to who has to prove once more who they are. */
const REQUIRED = 'reauthentication_required';

let settle: ((isProved: boolean) => void) | undefined;
let asked: Promise<boolean> | undefined;
const listeners = new Set<() => void>();

/** Whether a proof is wanted, for the dialog that asks for it. */
export const proof = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isRequired: () => asked !== undefined,
  end(isProved: boolean): void {
    settle?.(isProved);
    asked = undefined;
    listeners.forEach((listener) => listener());
  },
};

/** Asks whoever is signed in; those who ask meanwhile wait for the same answer. */
function ask(): Promise<boolean> {
  asked ??= new Promise((resolve) => {
    settle = resolve;
  });
  listeners.forEach((listener) => listener());
  return asked;
}

async function isProofRequired(answer: Response): Promise<boolean> {
  if (answer.status !== 403) return false;
  return (await answer.clone().text()).includes(`"${REQUIRED}"`);
}

/** Sends a request, and once more where the service wanted a proof first and got it. */
async function fetchWithProof(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const request = new Request(input, init);
  if (request.method === 'GET') return fetch(request);
  const { url, method, headers, credentials, signal } = request;
  const bytes = await request.arrayBuffer();
  const body = bytes.byteLength > 0 ? bytes : null;
  const send = () => fetch(url, { method, headers, credentials, signal, body });
  const answer = await send();
  if (!(await isProofRequired(answer))) return answer;
  return (await ask()) ? send() : answer;
}

/** From now on the console asks for proofs by itself. */
export const askForProofs = (): void => void client.setConfig({ fetch: fetchWithProof });
