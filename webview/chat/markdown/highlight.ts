import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const languages = { bash, css, diff, go, javascript, json, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** More than this is shown without colours: a frame must stay short (faults F059). */
const most = 12_000;

/** The language that the words behind a fence name: `ts`, `src/a.ts`, `ts title=x`. */
export function languageOf(info: string): string | undefined {
  const word = (info.split(/[\s,{]/, 1)[0] ?? '').toLowerCase();
  if (word === '') return undefined;
  if (hljs.getLanguage(word)) return word;
  const extension = /\.([a-z0-9]+)$/.exec(word)?.[1];
  return extension !== undefined && hljs.getLanguage(extension) ? extension : undefined;
}

/** Code with its words marked as HTML, or undefined when the language is not one of ours or the code is long. */
export function highlighted(code: string, info: string): string | undefined {
  if (code.length > most) return undefined;
  const language = languageOf(info);
  return language === undefined ? undefined : hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
