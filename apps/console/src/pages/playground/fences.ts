interface Piece {
  readonly kind: 'text' | 'code';
  readonly text: string;
  /** Of code, as its fence names it. */
  readonly language: string;
}

const FENCE = /^```([\w+#.-]*)[^\n`]*$/;

/** Parts an answer into text and fenced code; a fence that is still open holds the rest. */
export function parsePieces(answer: string): readonly Piece[] {
  const pieces: { kind: Piece['kind']; language: string; lines: string[] }[] = [
    { kind: 'text', language: '', lines: [] },
  ];
  for (const line of answer.split('\n')) {
    const current = pieces.at(-1);
    const [fence, language = ''] = FENCE.exec(line.trim()) ?? [];
    if (fence === undefined) current?.lines.push(line);
    else if (current?.kind === 'code') pieces.push({ kind: 'text', language: '', lines: [] });
    else pieces.push({ kind: 'code', language, lines: [] });
  }
  return pieces
    .map(({ kind, language, lines }) => {
      const text = lines.join('\n');
      return { kind, language, text: kind === 'code' ? text : text.replace(/^\n+|\n+$/g, '') };
    })
    .filter(({ kind, text }) => kind === 'code' || text !== '');
}
