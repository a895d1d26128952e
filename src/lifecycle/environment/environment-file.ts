export type EnvFileOutcome =
  /** Empty when the file does not define the key, which counts as the same. */
  { readonly ok: true; readonly value: string } | { readonly ok: false };

/**
 * Looks one key up in an environment file: `NAME='value'`, the value literal and in single quotes, over several lines
 * if it likes; blank lines and comments between. A blank behind `=` ends the value before it began, as in a shell.
 * Only what comes before the key has to be well formed. Source: pkg/kubelet/util/env/env_util.go ParseEnv.
 */
export function readEnvFile(text: string, key: string): EnvFileOutcome {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').replace(/^[ \t]+/, '');
    if (line === '' || line.startsWith('#')) continue;
    const assignment = /^([^=]*[^= \t])=(.*)$/s.exec(line);
    if (assignment === null) return { ok: false };
    const [, name, start = ''] = assignment;
    let value = '';
    if (!/^[ \t]/.test(start)) {
      const quoted = readQuoted(lines, at, start);
      if (quoted === undefined) return { ok: false };
      ({ value, lastLine: at } = quoted);
    }
    if (name === key) return { ok: true, value };
  }
  return { ok: true, value: '' };
}

/** A value that starts with `'`, and the line it ends on. Undefined: it does not start or end as it should. */
function readQuoted(
  lines: string[],
  firstLine: number,
  start: string,
): { value: string; lastLine: number } | undefined {
  if (!start.startsWith("'")) return undefined;
  const parts: string[] = [];
  let rest = start.slice(1);
  for (let at = firstLine; at < lines.length; at += 1) {
    if (at > firstLine) rest = lines[at] ?? '';
    const close = rest.indexOf("'");
    if (close === -1) {
      parts.push(rest);
      continue;
    }
    parts.push(rest.slice(0, close));
    return /^[ \t]*(#|$)/.test(rest.slice(close + 1)) ? { value: parts.join('\n'), lastLine: at } : undefined;
  }
  return undefined;
}
