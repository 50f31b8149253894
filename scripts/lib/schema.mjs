import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

/**
 * Writes the JSON Schema of `mm.yaml` that YAML editors use, from the schema that loading uses: `src/config/jsonschema.ts` is bundled
 * in memory and run.
 */
export async function writeSchema(root, file) {
  const bundle = await build({
    absWorkingDir: root,
    entryPoints: ['src/config/jsonschema.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'],
    logLevel: 'warning',
  });
  const code = Buffer.from(bundle.outputFiles[0].contents).toString('base64');
  const { jsonSchema } = await import(`data:text/javascript;base64,${code}`);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(jsonSchema(), null, 1)}\n`);
}
