package io.dedup.store.redis.internal.operator;

import io.dedup.store.redis.internal.connection.Commands;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.KeyScanOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandType;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;

/** Scans the keys of a server that have a prefix, page by page; the server handles other commands between two pages. */
final class KeyPages {
    /** The position of the first page, and the position that follows the last one. */
    static final String START = "0";

    private static final int PAGE = 1_000;

    private final byte[] prefix;
    private final byte[] pattern;

    KeyPages(byte[] prefix) {
        this(prefix, new byte[0]);
    }

    /** @param suffix how the keys end; the server leaves out all others, as far as it can */
    KeyPages(byte[] prefix, byte[] suffix) {
        this.prefix = prefix;
        this.pattern = pattern(prefix, suffix);
    }

    /** A glob pattern for keys with this prefix and suffix, whatever bytes they contain. */
    static byte[] pattern(byte[] prefix, byte[] suffix) {
        ByteArrayOutputStream glob = new ByteArrayOutputStream();
        writeLiteral(prefix, glob);
        glob.write('*');
        writeLiteral(suffix, glob);
        return glob.toByteArray();
    }

    private static void writeLiteral(byte[] bytes, ByteArrayOutputStream glob) {
        for (byte b : bytes) {
            if ("*?[]^\\".indexOf(b) >= 0) {
                glob.write('\\');
            }
            glob.write(b);
        }
    }

    AsyncCommand<byte[], byte[], KeyScanCursor<byte[]>> newScan(String cursor) {
        return Commands.newCommand(
                CommandType.SCAN,
                new KeyScanOutput<>(ByteArrayCodec.INSTANCE),
                Commands.args()
                        .add(cursor)
                        .add("MATCH")
                        .add(pattern)
                        .add("COUNT")
                        .add(PAGE));
    }

    /** The keys of a page that have the prefix, even if the server interprets the pattern differently. */
    List<byte[]> keysOf(KeyScanCursor<byte[]> page) {
        return page.getKeys().stream()
                .filter(key -> key.length > prefix.length && Arrays.mismatch(prefix, key) == prefix.length)
                .toList();
    }
}
