import { InvalidArgumentError, Option } from 'commander';

/** An option that takes a number of things: whole, and not below zero. */
export function countOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text): number => {
    if (/^\d+$/.test(text)) return Number(text);
    throw new InvalidArgumentError('It is a number, 0 or more.');
  });
}
