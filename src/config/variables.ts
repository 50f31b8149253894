import { l10n } from '../base/l10n';

export type Expanded = { ok: true; value: string } | { ok: false; message: string };

const reference = /\$\{([A-Za-z]+):([^}]*)\}/g;
const variableName = /^[A-Za-z_][A-Za-z0-9_()]*$/;

/** Whether a text refers to anything outside the file. */
export function hasReference(text: string): boolean {
  return /\$\{(env|secret):/.test(text);
}

/**
 * Fills in `${env:NAME}`. A variable that is missing or empty is an error that names it: an empty address or key would
 * otherwise send a prompt somewhere else than was meant. No message holds anything of the text but names of variables.
 * @param strict any other `${` is an error too; without it such text stays as it is (values for a child's environment)
 */
export function expand(text: string, env: NodeJS.ProcessEnv, strict: boolean, platform = process.platform): Expanded {
  if (!text.includes('${')) return { ok: true, value: text };
  let message: string | undefined;
  const rest = text.replace(reference, (whole: string, kind: string, name: string) => {
    if (kind === 'env' && variableName.test(name)) {
      const value = lookUp(env, name, platform);
      if (value) return value;
      message ??= l10n.t('the environment variable {0} is not set', name);
    } else if (kind === 'env') {
      message ??= l10n.t('`${env:…}` needs the name of an environment variable, such as `${env:OPENAI_API_KEY}`');
    } else if (kind === 'secret') {
      message ??= l10n.t('`${secret:…}` is not supported yet; use `${env:NAME}`');
    } else return strict ? '' : whole;
    return '';
  });
  if (message) return { ok: false, message };
  const unclosed = /\$\{env:/.test(text.replace(reference, ''));
  const foreign = strict && (text.replace(reference, '').includes('${') || /\$\{(?!env:|secret:)/.test(text));
  if (unclosed || foreign) {
    return {
      ok: false,
      message: l10n.t(
        'only `${env:NAME}` can stand here, with the name of an environment variable and a closing brace',
      ),
    };
  }
  return { ok: true, value: rest };
}

function lookUp(env: NodeJS.ProcessEnv, name: string, platform: string): string | undefined {
  if (env[name] !== undefined || platform !== 'win32') return env[name];
  const wanted = name.toUpperCase();
  const key = Object.keys(env).find((candidate) => candidate.toUpperCase() === wanted);
  return key === undefined ? undefined : env[key];
}
