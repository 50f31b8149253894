import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Block, Segmenter, segments } from '../../../webview/chat/markdown/segmenter';

/** Streams a text in the given chunks, looking at the open part on the way as the page does. */
function stream(chunks: string[]): Block[] {
  let segmenter = new Segmenter();
  let blocks: Block[] = [];
  const run = () => {
    for (;;) {
      const { closed, more } = segmenter.step();
      blocks.push(...closed);
      if (!more) return;
    }
  };
  for (const chunk of chunks) {
    segmenter.push(chunk);
    run();
    segmenter.open();
    segmenter.takeFenceWords();
  }
  segmenter.finish();
  run();
  if (segmenter.hasReferences) {
    segmenter = segmenter.again();
    blocks = [];
    run();
  }
  return blocks;
}

const html = (blocks: Block[]) => blocks.map((b) => (b.kind === 'html' ? b.html : `[${b.info}]${b.code}`)).join('');

const line = fc.oneof(
  fc.constantFrom(
    '',
    '',
    'words',
    'more *words*',
    '# head',
    '## head',
    '- item',
    '* item',
    '  - deeper',
    '1. one',
    '2. two',
    '2) two',
    '   more of it',
    '> quote',
    '> - in it',
    '```',
    '```js',
    '````',
    '~~~',
    '  ```',
    '    code',
    '\tcode',
    '---',
    '===',
    '***',
    'a | b',
    '- | -',
    '--|--',
    '1 | 2',
    '[ref]: http://a.example/x',
    '[ref]:',
    '/url',
    '"title"',
    'see [ref] and [x](http://b.example)',
    '`code',
    '**bold',
    '<b>no</b>',
    '![p](http://a/p.png)',
    '[c](command:x)',
    'a\\',
    'a  ',
    '\\# no',
    '- [ ] task',
    '#',
    '+',
    '-',
    'http://a.example/path',
    '| a | b |',
    '|---|:-:|',
    'x`y`z',
    '&amp; &lt;',
  ),
  fc.string({ maxLength: 12 }),
);
const text = fc
  .array(line, { maxLength: 25 })
  .chain((lines) => fc.constantFrom('\n', '\n', '\r\n').map((nl) => lines.join(nl)));

describe('Markdown that is still being written', () => {
  it('any split of any text gives the blocks of the whole text', () => {
    fc.assert(
      fc.property(text, fc.infiniteStream(fc.integer({ min: 1, max: 40 })), (source, sizes) => {
        const chunks: string[] = [];
        for (let at = 0; at < source.length; ) {
          const size = sizes.next().value as number;
          chunks.push(source.slice(at, at + size));
          at += size;
        }
        expect(html(stream(chunks))).toBe(html(segments(source)));
      }),
      { numRuns: 1500 },
    );
  });

  it('any split of a long text gives the same too, however long a list, a line or a fence is', () => {
    const long = fc.constantFrom(
      'word '.repeat(30_000),
      'a line of words\n'.repeat(6_000),
      '- an item of a list\n'.repeat(4_000),
      `- one\n${'  and more of it\n'.repeat(6_000)}`,
      `\`\`\`\n${'code and code\n'.repeat(6_000)}`,
      `\`\`\`\n${'code and code\n'.repeat(600)}\`\`\`\nend\n`,
      `a | b\n--|--\n${'1 | 2\n'.repeat(12_000)}`,
      `${'> quoted words\n'.repeat(5_000)}`,
      '😀'.repeat(50_000),
      '\n'.repeat(70_000),
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(long, text), { maxLength: 4 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 30_000 })),
        (parts, sizes) => {
          const source = parts.join('\n');
          const chunks: string[] = [];
          for (let at = 0; at < source.length; ) {
            const size = sizes.next().value as number;
            chunks.push(source.slice(at, at + size));
            at += size;
          }
          expect(html(stream(chunks)) === html(segments(source))).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  }, 60_000);

  it('closes a block as soon as the next one begins', () => {
    const s = new Segmenter();
    s.push('one\n\ntwo\n\n');
    expect(s.step().closed).toEqual([{ kind: 'html', html: '<p>one</p>\n' }]);
    expect(s.open()).toEqual({ kind: 'blocks', blocks: [{ kind: 'html', html: '<p>two</p>\n' }] });
  });

  it('F059 passes the lines of an open fence on without parsing them again', () => {
    const s = new Segmenter();
    s.push('```\nfirst\nsec');
    while (s.step().more);
    expect(s.open()).toEqual({ kind: 'fence', info: '' });
    expect(s.takeFenceWords()).toBe('first\n');
    s.push('ond\n``');
    s.step();
    expect(s.takeFenceWords()).toBe('second\n');
    s.push('`\nafter');
    expect(s.step().closed).toEqual([{ kind: 'code', info: '', code: 'first\nsecond\n' }]);
  });

  it('resolves a reference that is defined at the very end', () => {
    expect(html(stream(['see [a]\n\nmo', 're\n\n[a]: http://a.exam', 'ple/x\n']))).toContain(
      '<a href="http://a.example/x">a</a>',
    );
  });
});

it('F018 U+2028, U+2029 and U+0085 are shown as line breaks, and HTML around them stays text', () => {
  expect(html(segments('a\u2028b *c\u2029d* e\u0085<b>f'))).toBe('<p>a<br>b <em>c<br>d</em> e<br>&lt;b&gt;f</p>\n');
  expect(html(segments('```\na\u2028b\n```\n'))).toContain('a\u2028b');
});

describe('F062 HTML and links of a model', () => {
  const render = (source: string) => html(segments(source));
  it.each([
    '<img src=x onerror=alert(1)>',
    '<style>*{}</style>',
    '<form action=x>',
    '<script>x</script>',
    '<b onclick=x>',
  ])('%s stays text', (source) => {
    const out = render(`a ${source} b\n\n${source}`);
    expect(out.replace(/<\/?p>/g, '')).not.toMatch(/<[a-z]/i);
  });
  it.each([
    'command:x',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vscode:x',
    '//evil.example/x',
    '#top',
    'vbscript:x',
    ' javascript:x',
    'java\tscript:x',
    'file://server/share/x',
  ])('%s is no link', (href) => {
    expect(render(`[x](<${href}>)`)).not.toContain('<a');
  });
  it.each([
    'http://a.example',
    'https://a.example/x?y',
    'src/list.ts:61',
    'src/list.ts#L61',
    './a.md',
    '/home/me/a.ts',
    'C:/a/b.ts',
  ])('%s is one', (href) => {
    expect(render(`[x](${href})`)).toContain('<a href=');
  });
  it('makes a picture a link and never loads it', () => {
    expect(render('![chart](http://a.example/c.png)')).toBe('<p><a href="http://a.example/c.png">chart</a></p>\n');
    expect(render('![chart](data:image/png;base64,AAAA)')).not.toContain('<img');
  });
  it('keeps inline styles out of tables', () => {
    expect(render('a | b\n--|--:\n1 | 2')).toContain('<td class="n">2</td>');
    expect(render('a | b\n--|--:\n1 | 2')).not.toContain('style');
  });
});
