import { officialName } from './entry-point.ts';

type ProgramArgv = readonly [string, ...string[]];

/** The programs of official images, under the names that distributions give them. The likeliest comes first. */
const COMMANDS: Readonly<Record<string, readonly ProgramArgv[]>> = {
  caddy: [['caddy', 'run']],
  httpd: [
    ['httpd', '-D', 'FOREGROUND'],
    ['apache2ctl', '-D', 'FOREGROUND'],
  ],
  mariadb: [['mariadbd'], ['mysqld']],
  memcached: [['memcached']],
  mongo: [['mongod']],
  mysql: [['mysqld']],
  nginx: [['nginx', '-g', 'daemon off;']],
  node: [['node']],
  postgres: [['postgres']],
  python: [['python3'], ['python']],
  rabbitmq: [['rabbitmq-server']],
  redis: [['redis-server']],
  registry: [
    ['registry', 'serve'],
    ['docker-registry', 'serve'],
  ],
  ruby: [['irb']],
  valkey: [['valkey-server']],
};

/** The commands for a well-known image, the likeliest first. Empty for other images. */
export function knownCommands(image: string): readonly ProgramArgv[] {
  const name = officialName(image) ?? '';
  return Object.hasOwn(COMMANDS, name) ? (COMMANDS[name] ?? []) : [];
}
