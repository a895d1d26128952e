import { findPerl, joinPrefix, type NetworkJoin, runHelper } from '../../runtime/index.ts';

/*
 * Messages of netlink to the kernel's table of connections: a dump, and the removal of each connection that an address
 * has at an end, before or after the translation of a Service's address. Sources: linux/netlink.h,
 * linux/netfilter/nfnetlink_conntrack.h.
 */
const FORGET = String.raw`
use strict;
my ($address) = map { pack 'C4', split /\./ } @ARGV;
my ($request, $dump, $get, $delete, $of_original, $of_replies) = (1, 0x300, 0x101, 0x102, 1, 2);
socket my $kernel, 16, 3, 12 or die "socket: $!\n";
sub ask {
  my ($type, $flags, $body) = @_;
  defined send $kernel, pack('L S S L L C C n', 20 + length $body, $type, $flags, 1, 0, 2, 0, 0) . $body, 0
    or die "send: $!\n";
}
ask($get, $request | $dump, '');
my @gone;
DUMP: while (defined recv $kernel, my $read, 1 << 20, 0) {
  while (length $read >= 16) {
    my ($length, $type) = unpack 'L S', $read;
    last DUMP if $type == 3;
    die 'dump: ', unpack('x16 l', $read), "\n" if $type == 2;
    my $message = substr $read, 0, $length;
    my %part;
    for (my $at = 20; $at + 4 <= $length; ) {
      my ($size, $kind) = unpack 'S S', substr $message, $at, 4;
      $part{$kind & 0x3fff} = substr $message, $at, $size;
      $at += ($size + 3) & ~3;
    }
    my @ends = map { (substr($_, 12, 4), substr($_, 20, 4)) } @part{$of_original, $of_replies};
    push @gone, $part{$of_original} if grep { $_ eq $address } @ends;
    substr($read, 0, ($length + 3) & ~3) = '';
  }
}
ask($delete, $request, $_) for @gone;
`;

/**
 * Has the kernel forget the connections of an address, which another Pod had: they would pass as open ones of its next
 * Pod. Without perl they stay until they time out.
 * @param join the way into the cluster
 * @throws {Error} with the message of perl
 */
export async function forgetConnections(join: NetworkJoin, address: string): Promise<void> {
  const perl = findPerl();
  if (perl === undefined) return;
  const [program, ...args] = [...joinPrefix(join), ...perl];
  const outcome = await runHelper({ program, args: [...args, '-e', FORGET, address], env: {} });
  if (!outcome.ok) throw new Error(outcome.why);
}
