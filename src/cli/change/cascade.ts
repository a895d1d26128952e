import { usage } from '../../api/errors.ts';
import type { PropagationPolicy } from '../../controllers/garbage/deletion.ts';
import type { Cli } from '../cli.ts';

const POLICIES: ReadonlyMap<string, PropagationPolicy> = new Map([
  ['background', 'Background'],
  ['foreground', 'Foreground'],
  ['orphan', 'Orphan'],
]);

/** The texts that kubectl takes for a truth value. Source: Go's strconv.ParseBool. */
const TRUTH_VALUES: ReadonlyMap<string, string> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, 'background'] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, 'orphan'] as const),
]);

/**
 * Reads --cascade. Source: kubectl/pkg/cmd/util/helpers.go GetCascadingStrategy.
 * @throws {PodrunError} (usage) for a value that is none of kubectl's
 */
export function readPropagation(cli: Cli, cascade: string | true): PropagationPolicy {
  const text = cascade === true ? 'background' : cascade;
  const policy = POLICIES.get(text);
  if (policy !== undefined) return policy;
  const meant = TRUTH_VALUES.get(text);
  if (meant === undefined) {
    throw usage(`invalid cascade value (${text}). Must be "background", "foreground", or "orphan"`);
  }
  cli.stderr.write(
    `warning: --cascade=${text} is deprecated (boolean value) and can be replaced with --cascade=${meant}.\n`,
  );
  return POLICIES.get(meant) ?? 'Background';
}
