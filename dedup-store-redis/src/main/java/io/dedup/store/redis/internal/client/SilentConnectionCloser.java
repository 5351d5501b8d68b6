package io.dedup.store.redis.internal.client;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a connection on which something was sent and nothing came back for too long; the driver then makes another one.
 *
 * <p>A connection may be dead without knowing it: its server lost power, or a firewall has forgotten it. The system gives
 * up sending after a quarter of an hour by default, and until then every call would end with its time-out. One handler for
 * each connection, used on its event loop only.
 */
final class SilentConnectionCloser extends ChannelDuplexHandler {
    private static final Logger log = LoggerFactory.getLogger(SilentConnectionCloser.class);

    private final long limitNanos;
    private boolean waiting;
    private long since;
    private @Nullable Future<?> check;

    SilentConnectionCloser(Duration limit) {
        this.limitNanos = limit.toNanos();
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
        if (!waiting) {
            waiting = true;
            since = System.nanoTime();
            if (check == null) {
                checkIn(limitNanos, context);
            }
        }
        super.write(context, message, promise);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        waiting = false;
        super.channelRead(context, message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        if (check != null) {
            check.cancel(false);
        }
        super.channelInactive(context);
    }

    /** One timer at most, which looks at what has happened since: most often, much. */
    private void checkIn(long nanos, ChannelHandlerContext context) {
        check = context.executor().schedule(() -> check(context), nanos, TimeUnit.NANOSECONDS);
    }

    private void check(ChannelHandlerContext context) {
        check = null;
        if (!waiting) {
            return;
        }
        long left = limitNanos - (System.nanoTime() - since);
        if (left > 0) {
            checkIn(left, context);
            return;
        }
        log.warn(
                "No answer from Redis at {} for {} ms: the connection is given up, another one will be made",
                context.channel().remoteAddress(),
                TimeUnit.NANOSECONDS.toMillis(limitNanos));
        var unused = context.close();
    }
}
