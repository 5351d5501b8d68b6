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

/** Walks the keys of a server that begin alike, page by page: a page is all that the server does at a time. */
final class KeyPages {
    /** The first page, and what comes after the last one. */
    static final String START = "0";

    private static final int PAGE = 1_000;

    private final byte[] prefix;
    private final byte[] pattern;

    KeyPages(byte[] prefix) {
        this.prefix = prefix;
        this.pattern = pattern(prefix);
    }

    /** What begins with these bytes, whatever they are, as a glob. */
    static byte[] pattern(byte[] prefix) {
        ByteArrayOutputStream glob = new ByteArrayOutputStream();
        for (byte b : prefix) {
            if ("*?[]^\\".indexOf(b) >= 0) {
                glob.write('\\');
            }
            glob.write(b);
        }
        glob.write('*');
        return glob.toByteArray();
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

    /** The keys of a page that are meant, whatever the server takes the pattern for. */
    List<byte[]> keysOf(KeyScanCursor<byte[]> page) {
        return page.getKeys().stream()
                .filter(key -> key.length > prefix.length && Arrays.mismatch(prefix, key) == prefix.length)
                .toList();
    }
}
