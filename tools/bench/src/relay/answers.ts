/** Whether a server answers: with success where a path of its own says that it is ready, with anything at `/`. */
export async function answers(port: number, path: string): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(1_000) });
    await answer.arrayBuffer();
    return path === '/' || answer.ok;
  } catch {
    return false;
  }
}
