import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from '../../src/api/select/label-selector.ts';

const WEB = { app: 'web', tier: 'front', 'example.com/rank': '7', empty: '' };

describe('parseLabelSelector()', () => {
  it.each([
    { selector: '', matches: true },
    { selector: 'app', matches: true },
    { selector: 'db', matches: false },
    { selector: '!db', matches: true },
    { selector: '!app', matches: false },
    { selector: 'app=web', matches: true },
    { selector: 'app==web', matches: true },
    { selector: ' app = web ', matches: true },
    { selector: 'app=', matches: false },
    { selector: 'empty=', matches: true },
    { selector: 'app=api', matches: false },
    { selector: 'app!=api', matches: true },
    { selector: 'app!=web', matches: false },
    { selector: 'db!=web', matches: true },
    { selector: 'app in (api, web)', matches: true },
    { selector: 'app in (api)', matches: false },
    { selector: 'empty in (a,)', matches: true },
    { selector: 'db in (web)', matches: false },
    { selector: 'app notin (api,db)', matches: true },
    { selector: 'app notin (web)', matches: false },
    { selector: 'db notin (web)', matches: true },
    { selector: 'example.com/rank>6', matches: true },
    { selector: 'example.com/rank > 7', matches: false },
    { selector: 'example.com/rank<8', matches: true },
    { selector: 'app>1', matches: false },
    { selector: 'app=web,tier=front', matches: true },
    { selector: 'app=web,tier=back', matches: false },
    { selector: 'tier in (front,back),!db,app', matches: true },
    { selector: 'in=web', matches: false },
  ])('$selector is $matches for the labels of web', ({ selector, matches }) => {
    expect(parseLabelSelector(selector)(WEB)).toBe(matches);
  });

  it.each([
    { selector: 'app web', why: "unable to parse requirement: found 'web', expected: in, notin, =, ==, !=, gt, lt" },
    { selector: 'app=web,', why: "found '', expected: identifier after ','" },
    { selector: ',app', why: "found ',', expected: !, identifier, or 'end of string'" },
    { selector: 'app=web tier', why: "found 'tier', expected: ',' or 'end of string'" },
    { selector: 'app in web', why: "unable to parse requirement: found 'web' expected: '('" },
    { selector: 'app in (web', why: "unable to parse requirement: found '', expected: ',', ')' or identifier" },
    { selector: 'app in ()', why: "for 'in', 'notin' operators, values set can't be empty" },
    { selector: '!', why: "unable to parse requirement: found '', expected: identifier" },
    { selector: 'app==(', why: "unable to parse requirement: found '(', expected: identifier" },
    { selector: 'rank>high', why: "for 'Gt', 'Lt' operators, the value must be an integer" },
  ])('$selector is refused in the words of the API server', ({ selector, why }) => {
    const message = expect.stringMatching(/^invalid label selector "[^"]+": /) as string;
    expect(() => parseLabelSelector(selector)).toThrow(expect.objectContaining({ exitCode: 2, message }));
    expect(() => parseLabelSelector(selector)).toThrow(why);
  });

  it.each(['-app=web', 'app=-web', 'a/b/c'])('%s is refused: the name or the value could be no label', (selector) => {
    expect(() => parseLabelSelector(selector)).toThrow('Invalid value');
  });
});
