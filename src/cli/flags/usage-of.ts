import { type PodrunError, usage } from '../../api/index.ts';

/** The error of a wrong call of a command. The hint is that of cobra. */
export function usageOf(verb: string, message: string): PodrunError {
  return usage(message, `See 'podrun ${verb} --help' for usage.`);
}

/** As `usageOf`, where kubectl itself checks the words. Source: kubectl/pkg/cmd/util/helpers.go UsageErrorf. */
export function usageErrorf(verb: string, message: string): PodrunError {
  return usage(message, `See 'podrun ${verb} -h' for help and examples`);
}
