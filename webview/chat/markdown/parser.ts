import MarkdownIt, { type MarkdownIt as Parser, type Token } from 'markdown-it';
import { isLink } from './links';

/** References like `[name]: address` that were seen so far. */
export interface Env {
  references?: Record<string, { href: string; title: string }>;
}

/** A block at the top level of a text: code, or anything else as HTML. `start` and `end` are lines. */
export type Parsed = { start: number; end: number; list: boolean } & (
  | { kind: 'html'; html(): string }
  | { kind: 'code'; info: string; code: string }
);

/** CommonMark and tables; no HTML of a model passes, nothing is loaded, and no link leads anywhere but `isLink` says (faults F062). */
function makeParser(): Parser {
  const md = new MarkdownIt({ html: false, linkify: true, breaks: false, typographer: false, maxNesting: 40 });
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  for (const scheme of ['ftp:', 'mailto:', '//']) md.linkify.add(scheme, null as never);
  md.validateLink = isLink;

  // a model's # is our h2 (look, "Markdown"): the page's own title is the h1
  for (const rule of ['heading_open', 'heading_close'] as const) {
    md.renderer.rules[rule] = (tokens, i, options, _env, self) => {
      const token = tokens[i]!;
      const level = Math.min(4, Number(token.tag.slice(1)) + 1);
      token.tag = `h${level}`;
      return self.renderToken(tokens, i, options);
    };
  }
  // no inline styles (the page's policy forbids them): a class says where a column is set
  for (const rule of ['th_open', 'td_open'] as const) {
    md.renderer.rules[rule] = (tokens, i, options, _env, self) => {
      const token = tokens[i]!;
      const align = /text-align:\s*(\w+)/.exec(String(token.attrGet('style') ?? ''))?.[1];
      token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style');
      if (align === 'right') token.attrSet('class', 'n');
      if (align === 'center') token.attrSet('class', 'c');
      return self.renderToken(tokens, i, options);
    };
  }
  // no picture is fetched: that would tell its server that somebody reads (faults F062)
  md.renderer.rules.image = (tokens, i) => {
    const token = tokens[i]!;
    const src = String(token.attrGet('src') ?? '');
    const label = md.utils.escapeHtml(token.content || src);
    return isLink(src) ? `<a href="${md.utils.escapeHtml(src)}">${label}</a>` : label;
  };
  // Unicode's own line ends break no line in a browser, and stand for nothing in Markdown (faults F018)
  md.renderer.rules.text = (tokens, i) =>
    md.utils.escapeHtml(tokens[i]!.content).replace(/[\u2028\u2029\u0085]/g, '<br>');
  md.renderer.rules.fence = (tokens, i) => code(tokens[i]!);
  md.renderer.rules.code_block = (tokens, i) => code(tokens[i]!);
  const code = (token: Token) =>
    `<pre data-info="${md.utils.escapeHtml(token.info.trim())}"><code>${md.utils.escapeHtml(token.content)}</code></pre>`;
  return md;
}

const md = makeParser();

/** The blocks of a text, in order; `env` collects the references that it defines and resolves those that it uses. */
export function parseBlocks(source: string, env: Env): Parsed[] {
  // markdown-it knows its environment as a record of anything
  const environment = env as Record<string, unknown>;
  const tokens = md.parse(source, environment);
  const blocks: Parsed[] = [];
  for (let i = 0; i < tokens.length; ) {
    const first = tokens[i]!;
    let end = i + 1;
    // the closing token stands at the level of its opening one
    if (first.nesting === 1) {
      while (end < tokens.length && !(tokens[end]!.level === 0 && tokens[end]!.nesting === -1)) end++;
      end++;
    }
    const part = tokens.slice(i, end);
    const [start, stop] = first.map ?? [0, 0];
    const common = { start, end: stop, list: first.type.endsWith('list_open') };
    if (first.type === 'fence' || first.type === 'code_block') {
      blocks.push({ ...common, kind: 'code', info: first.info.trim(), code: first.content });
    } else {
      blocks.push({ ...common, kind: 'html', html: () => md.renderer.render(part, md.options, environment) });
    }
    i = end;
  }
  return blocks;
}
