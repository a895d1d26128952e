import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { type ProxiedLink, throughProxy } from './proxied-link.ts';

/**
 * The attributes of HTML that are links, by element.
 * Source: apimachinery/pkg/util/proxy/transport.go, atomsToAttrs.
 */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['formaction', 'src', 'usemap'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
};

/** The names of elements and attributes that matter are shorter. */
const NAME_MAX = 32;
/** A longer link stays unchanged: so a page without an end is not kept. */
const LINK_MAX = 64 * 1024;

/** The tokens that stay unchanged. */
const ignored = (): void => undefined;
const OTHERS = {
  onattribentity: ignored,
  oncdata: ignored,
  onclosetag: ignored,
  oncomment: ignored,
  ondeclaration: ignored,
  onend: ignored,
  onopentagend: ignored,
  onprocessinginstruction: ignored,
  onselfclosingtag: ignored,
  ontext: ignored,
  ontextentity: ignored,
};

/**
 * Leads the links of a page through a proxy, while it arrives in pieces. All else stays as the program has written it.
 * The time grows with the length of the page, whatever is in it, and no more than one link is kept.
 */
export class PageLinks {
  readonly #link: ProxiedLink;
  readonly #tokenizer: Tokenizer;
  /** The end of the page so far: the piece that is being read, and what may still be looked at of those before. */
  #text = '';
  /** The place of #text in the page. */
  #start = 0;
  /** The place up to which the page has been passed on. */
  #passed = 0;
  #out = '';
  #element = '';
  #isLink = false;
  /** The place of the link that is being read. */
  #from: number | undefined;
  #to = 0;

  constructor(link: ProxiedLink) {
    this.#link = link;
    const callbacks: TokenizerCallbacks = {
      ...OTHERS,
      onopentagname: (from, to) => {
        this.#element = this.#name(from, to);
      },
      onattribname: (from, to) => {
        this.#isLink = isLink(this.#element, this.#name(from, to));
      },
      onattribdata: (from, to) => {
        if (this.#isLink) this.#from ??= from;
        this.#to = to;
      },
      onattribend: () => this.#endLink(),
    };
    this.#tokenizer = new Tokenizer({ decodeEntities: false }, callbacks);
  }

  /** Takes the next piece of the page. Returns the finished part of it, and of earlier pieces. */
  write(piece: string): string {
    this.#text += piece;
    this.#tokenizer.write(piece);
    const end = this.#start + this.#text.length;
    if (this.#from !== undefined && end - this.#from > LINK_MAX) [this.#from, this.#isLink] = [undefined, false];
    this.#pass(this.#from ?? end);
    const kept = Math.max(this.#start, this.#passed - NAME_MAX);
    this.#text = this.#text.slice(kept - this.#start);
    this.#start = kept;
    return this.#taken();
  }

  /** The rest of the page. */
  end(): string {
    this.#pass(this.#start + this.#text.length);
    return this.#taken();
  }

  #taken(): string {
    const out = this.#out;
    this.#out = '';
    return out;
  }

  #pass(to: number): void {
    this.#out += this.#text.slice(this.#passed - this.#start, to - this.#start);
    this.#passed = to;
  }

  #name(from: number, to: number): string {
    return to - from > NAME_MAX ? '' : this.#text.slice(from - this.#start, to - this.#start).toLowerCase();
  }

  #endLink(): void {
    const from = this.#from;
    this.#from = undefined;
    if (from === undefined) return;
    const url = this.#text.slice(from - this.#start, this.#to - this.#start);
    const changed = throughProxy(url, this.#link);
    if (changed === url) return;
    this.#pass(from);
    this.#out += changed;
    this.#passed = this.#to;
  }
}

/** True for an attribute that is a link. */
function isLink(element: string, attribute: string): boolean {
  return Object.hasOwn(LINKS, element) && LINKS[element]?.includes(attribute) === true;
}
