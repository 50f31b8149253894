/** A run of characters of a terminal's output in one style; `classes` are those of the style sheet. */
export interface Run {
  text: string;
  classes: string;
}

const colours = ['a-dim', 'a-red', 'a-green', 'a-yellow', 'a-blue', 'a-magenta', 'a-cyan', ''] as const;

/** Escape sequences: colours (CSI … m), and everything else that a terminal would act on, which is left out. */
const sequence = new RegExp(
  [
    '\\u001b\\[([0-9;:]*)m',
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]',
    '\\u001b[\\]PX^_][^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?',
    '\\u001b[ -/]*[0-~]?',
  ].join('|'),
  'g',
);

/**
 * Output of a command as styled runs. Colours become classes; links (OSC 8), titles, cursor moves and other controls are dropped, so that
 * nothing in an output can draw over the page or lead anywhere (faults F062). A carriage return starts its line again, as progress bars do.
 */
export function ansi(source: string): Run[] {
  const runs: Run[] = [];
  let colour = '';
  let bold = false;
  let dim = false;
  let at = 0;
  const add = (raw: string) => {
    const text = clean(raw);
    if (text === '') return;
    const classes = [colour || (dim ? 'a-dim' : ''), bold ? 'a-bold' : ''].filter(Boolean).join(' ');
    const last = runs.at(-1);
    if (last && last.classes === classes) last.text += text;
    else runs.push({ text, classes });
  };
  const lines = overwritten(source);
  for (const match of lines.matchAll(sequence)) {
    add(lines.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[1] === undefined) continue;
    const codes = match[1].split(/[;:]/).map(Number);
    for (let i = 0; i < codes.length; i++) {
      const code = codes[i]!;
      if (code === 0) {
        colour = '';
        bold = false;
        dim = false;
      } else if (code === 1) bold = true;
      else if (code === 2) dim = true;
      else if (code === 22) {
        bold = false;
        dim = false;
      } else if (code >= 30 && code <= 37) colour = colours[code - 30]!;
      else if (code >= 90 && code <= 97) colour = colours[code - 90]!;
      else if (code === 39) colour = '';
      else if (code === 38 || code === 48) {
        // 256 colours and RGB: skipped with their arguments
        const skip = codes[i + 1] === 5 ? 2 : codes[i + 1] === 2 ? 4 : 0;
        if (code === 38) colour = codes[i + 1] === 5 && codes[i + 2]! < 16 ? colours[codes[i + 2]! % 8]! : '';
        i += skip;
      }
    }
  }
  add(lines.slice(at));
  return runs;
}

/** What a carriage return in the middle of a line leaves: the last thing that was written there. */
function overwritten(source: string): string {
  if (!source.includes('\r')) return source;
  return source
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => line.replace(/\r+$/, '').slice(line.replace(/\r+$/, '').lastIndexOf('\r') + 1))
    .join('\n');
}

/** Without controls; bidirectional marks would show an output in another order than it has. */
function clean(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}

/** The last or first `max` lines of a text, and how many it has, without splitting all of it (faults F037). */
export function someLines(text: string, max: number, from: 'start' | 'end'): { text: string; total: number } {
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  if (body === '') return { text: '', total: 0 };
  let total = 1;
  for (let i = body.indexOf('\n'); i >= 0; i = body.indexOf('\n', i + 1)) total++;
  if (total <= max) return { text: body, total };
  if (from === 'start') {
    let stop = -1;
    for (let n = 0; n < max; n++) stop = body.indexOf('\n', stop + 1);
    return { text: body.slice(0, stop), total };
  }
  let start = body.length;
  for (let n = 0; n < max; n++) start = body.lastIndexOf('\n', start - 1);
  return { text: body.slice(start + 1), total };
}
