import type { ExecRequest } from '../runtime/runtime.ts';
import type { LiveInstance } from './instance.ts';

/** A command of hooks, probes and `podrun exec`, as it is run in a container: with what its main process has. */
export function commandIn(
  { ref, preparation }: Pick<LiveInstance, 'ref' | 'preparation'>,
  [program, ...args]: ExecRequest['argv'],
): Pick<ExecRequest, 'id' | 'argv' | 'env' | 'cwd'> {
  const { env, cwd, translate = (word) => word } = preparation;
  return { id: ref.id, argv: [translate(program), ...args.map(translate)], env, cwd };
}
