import type { ServerRoute } from '../../apiserver/index.ts';
import { notAcceptable } from '../http/media-types.ts';

const KEYS_PATH = '/openid/v1/jwks';
const KEYS_TYPE = 'application/jwk-set+json';
const CONFIGURATION_PATH = '/.well-known/openid-configuration';
/** Both change only with the key of the server. */
const LASTING = { 'Cache-Control': 'public, max-age=3600' };

/**
 * Pages for programs that check tokens of ServiceAccounts themselves: the issuer, and its public keys.
 * Source: pkg/routes/openidmetadata.go; pkg/serviceaccount/openidmetadata.go.
 */
export const ISSUER_ROUTES: readonly ServerRoute[] = [
  {
    method: 'GET',
    path: CONFIGURATION_PATH,
    answer: ({ raw }, { tokens, config }) => {
      // The address at which this client has found the server: a Pod's way is not the way of a person.
      const host = raw.headers.host ?? new URL(config.url).host;
      const content = {
        issuer: tokens.issuer,
        jwks_uri: `https://${host}${KEYS_PATH}`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [tokens.publicKey.alg],
      };
      return { text: JSON.stringify(content), type: 'application/json', headers: LASTING };
    },
  },
  {
    method: 'GET',
    path: KEYS_PATH,
    answer: ({ raw }, { tokens }) => {
      const accepted = (raw.headers.accept ?? '*/*').split(',').map((range) => range.replace(/;.*/, '').trim());
      if (!accepted.some((type) => [KEYS_TYPE, 'application/*', '*/*'].includes(type))) throw notAcceptable(KEYS_TYPE);
      return { text: JSON.stringify({ keys: [tokens.publicKey] }), type: KEYS_TYPE, headers: LASTING };
    },
  },
];

/** The paths of these pages. */
export const ISSUER_PATHS: readonly string[] = [CONFIGURATION_PATH, KEYS_PATH];
