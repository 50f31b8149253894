/**
 * What makes `mm` start fast, as plugins of esbuild. An agent is started often, and a start is mostly loading: with these it takes a
 * third less than with a plain split build (design, section 11; measured by `npm run bench -- start`).
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Stands at the head of every file: a `require` that costs nothing to make. `process.getBuiltinModule` came with Node 20.16 and 22.3;
 * libraries inside the bundle require builtins only.
 */
export const requireShim =
  "const require = process.getBuiltinModule ?? (await import('node:module')).createRequire(import.meta.url);";

/**
 * Builtins by `require`. Importing one as an ES module makes Node evaluate everything that it exports: 9 ms for node:fs, whose promises
 * nobody may want. Names that are not used fall away.
 */
export const lightBuiltins = {
  name: 'light-builtins',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'builtin' },
    );
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      const names = Object.keys(require(path)).filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default');
      return {
        loader: 'js',
        contents: [
          `const builtin = require(${JSON.stringify(path)});`,
          'export default builtin;',
          ...names.map((name) => `export const ${name} = /* @__PURE__ */ (() => builtin.${name})();`),
        ].join('\n'),
      };
    });
  },
};

/**
 * One file for the start path. esbuild makes a file for each set of modules that the same entries share, which is about twenty for a
 * start, at more than a millisecond each. When whatever is loaded later needs `root` too, all that `root` needs becomes one file.
 *
 * @param {string} root absolute path of the module that a start ends in
 */
export function oneStartFile(root) {
  const later = new Set();
  return {
    name: 'one-start-file',
    setup(build) {
      build.onResolve({ filter: /^\./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData?.resolving) return undefined;
        const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: { resolving: true } });
        later.add(found.path);
        return found;
      });
      build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
        if (!later.has(path) || path === root) return undefined;
        return { loader: 'ts', contents: `${await readFile(path, 'utf8')}\nimport ${JSON.stringify(root)};` };
      });
    },
  };
}
