export type EnvFileOutcome =
  /** Empty also when the file does not define the key. */
  { readonly ok: true; readonly value: string } | { readonly ok: false };

/**
 * Reads one key from an environment file. Lines are `NAME='value'`, blank or comments. The value is literal, in single
 * quotes, and may span several lines. A blank after `=` makes the value empty, as in a shell. Only the lines before the
 * key must be well formed. Source: pkg/kubelet/util/env/env_util.go ParseEnv.
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

/** Reads a quoted value and the number of its last line. Undefined: the quotes are malformed. */
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
