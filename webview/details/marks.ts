/** A piece of a text, and whether the other text has it not. */
export interface Piece {
  text: string;
  only: boolean;
}

/** Words of a text beyond which two texts are only said to differ: each against each is work. */
const most = 400;

/** What of two texts is not in the other, word by word, so that a long description shows its one changed word. */
export function marks(theirs: string, ours: string): { theirs: Piece[]; ours: Piece[] } {
  // the comma belongs to no word, or the last of a list would differ from the same one in the middle
  const words = (text: string) => text.match(/[^\s,;]+|[,;]|\s+/g) ?? [];
  const a = words(theirs);
  const b = words(ours);
  const whole = (text: string): Piece[] => (text === '' ? [] : [{ text, only: true }]);
  if (a.length > most || b.length > most) return { theirs: whole(theirs), ours: whole(ours) };
  const common = longest(a, b);
  if (common.length === 0 || !common.some(([i]) => /\S/.test(a[i]!)))
    return { theirs: whole(theirs), ours: whole(ours) };
  return { theirs: pieces(a, new Set(common.map(([i]) => i))), ours: pieces(b, new Set(common.map(([, j]) => j))) };
}

/** The longest common sequence, as pairs of places. */
function longest(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const length = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i * width + j] =
        a[i] === b[j]
          ? length[(i + 1) * width + j + 1]! + 1
          : Math.max(length[(i + 1) * width + j]!, length[i * width + j + 1]!);
    }
  }
  const result: [number, number][] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) result.push([i++, j++]);
    else if (length[(i + 1) * width + j]! >= length[i * width + j + 1]!) i++;
    else j++;
  }
  return result;
}

function pieces(words: readonly string[], shared: ReadonlySet<number>): Piece[] {
  const result: Piece[] = [];
  words.forEach((text, i) => {
    const only = !shared.has(i);
    const last = result.at(-1);
    if (last?.only === only) last.text += text;
    else result.push({ text, only });
  });
  // blanks and commas at the edge of what differs say nothing, so they are not marked
  return result.flatMap((piece) => {
    if (!piece.only) return [piece];
    const [, before, middle, after] = /^([\s,;]*)(.*?)([\s,;]*)$/s.exec(piece.text)!;
    return [
      { text: before!, only: false },
      { text: middle!, only: true },
      { text: after!, only: false },
    ].filter((p) => p.text !== '');
  });
}
