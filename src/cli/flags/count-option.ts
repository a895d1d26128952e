import { InvalidArgumentError, Option } from 'commander';

/** Makes an option that takes a count: a whole number, zero or more. */
export function countOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text): number => {
    if (/^\d+$/.test(text)) return Number(text);
    throw new InvalidArgumentError('Use a whole number, 0 or more.');
  });
}
