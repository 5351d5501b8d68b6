package io.dedup.store.redis.internal.script;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/**
 * The arguments of a command in the protocol's format, so that a batch of hundreds of keys is one array here and one
 * copy in the event loop, instead of one object per key.
 */
public final class BulkStringArgs extends CommandArgs<byte[], byte[]> {
    private static final byte[] NONE = {};

    private final byte[] head;
    private final int headCount;
    private final BulkStrings body;

    /** The arguments in {@code body}. */
    public BulkStringArgs(BulkStrings body) {
        this(NONE, 0, body);
    }

    /**
     * The arguments of a script call.
     *
     * @param script the script or its digest, as a bulk string of the protocol
     * @param body what follows: the number of keys, keys, arguments
     */
    BulkStringArgs(byte[] script, BulkStrings body) {
        this(script, 1, body);
    }

    private BulkStringArgs(byte[] head, int headCount, BulkStrings body) {
        super(ByteArrayCodec.INSTANCE);
        this.head = head;
        this.headCount = headCount;
        this.body = body;
    }

    @Override
    public int count() {
        return headCount + body.count();
    }

    @Override
    public void encode(ByteBuf out) {
        out.ensureWritable(head.length + body.length());
        out.writeBytes(head);
        out.writeBytes(body.bytes(), 0, body.length());
    }

    /** The key by which a cluster connection finds the node. */
    @Override
    public ByteBuffer getFirstEncodedKey() {
        return body.firstKey();
    }

    @Override
    public String toString() {
        return count() + " arguments"; // never their content: IDs don't belong in a log
    }
}
